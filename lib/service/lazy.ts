/**
 * Makes a value at its first use and keeps it. If `make` throws, the next use calls it again. A bundler drops a lazy
 * value that nobody uses.
 */
/* @__NO_SIDE_EFFECTS__ */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
