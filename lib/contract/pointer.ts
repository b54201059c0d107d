/** Longer names, which are no names of ours, are not put into a pointer: it would be as long as they are. */
export const LONGEST_NAME = 128;

/** The JSON pointer (RFC 6901) of a place in a value. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
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
