/** Makes a value at its first use and keeps it. One that could not be made is tried again at the next. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
