/** Longer names are no names of ours. */
export const LONGEST_NAME = 128;

/**
 * The JSON pointer (RFC 6901) of a place in a value. It ends before a name that is very long: names are the caller's,
 * and an answer with a hundred pointers must not grow with them.
 */
export function pointerTo(path: readonly PropertyKey[]): string {
  const steps = path.map(String);
  const tooLong = steps.findIndex((step) => step.length > LONGEST_NAME);
  const told = tooLong === -1 ? steps : steps.slice(0, tooLong);
  return told.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** What stands at a path of a JSON value, `undefined` where there is nothing. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let place = value;
  for (const step of path) {
    const fields = fieldsOf(place);
    place = fields && Object.hasOwn(fields, step) ? fields[String(step)] : undefined;
  }
  return place;
}

/** The fields of an object or the entries of an array, `undefined` for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is a list of at most so many entries; a longer one is refused for its length and not looked into. */
export function isListOf(value: unknown, max: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= max;
}
