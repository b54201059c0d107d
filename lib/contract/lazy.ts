/**
 * Returns a function that makes a value at its first call and returns the same value at later calls. If `make` throws,
 * the next call runs `make` again.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
