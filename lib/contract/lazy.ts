/**
 * Makes a value at its first use and keeps it. If `make` throws, the next use calls it again.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
