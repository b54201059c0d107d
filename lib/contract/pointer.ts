/** The maximum length of a name in a pointer, in characters. All field names of the contract are shorter. */
export const LONGEST_NAME = 128;

/**
 * Writes a path as a JSON pointer (RFC 6901). The pointer ends before the first name that is too long. Names come from
 * the client, and an answer may contain a hundred pointers.
 */
export function pointerTo(path: readonly PropertyKey[]): string {
  const steps = path.map(String);
  const tooLong = steps.findIndex((step) => step.length > LONGEST_NAME);
  const kept = tooLong === -1 ? steps : steps.slice(0, tooLong);
  return kept.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Returns the value at a path inside another value; `undefined` if the path does not exist. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let place = value;
  for (const step of path) {
    const fields = fieldsOf(place);
    place = fields && Object.hasOwn(fields, step) ? fields[String(step)] : undefined;
  }
  return place;
}

/** Returns an object or array typed as a record of its fields or entries; `undefined` for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is a list of at most `max` entries. Call it first: the entries of a longer list need no check. */
export function isListOf(value: unknown, max: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= max;
}
