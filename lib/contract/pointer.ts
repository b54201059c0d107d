/** The length limit of a name in a pointer. Names of the contract are shorter. */
export const LONGEST_NAME = 128;

/**
 * Writes a JSON pointer (RFC 6901). It ends before an overlong name, because names come from the client and must not blow
 * up an answer with a hundred pointers.
 */
export function pointerTo(path: readonly PropertyKey[]): string {
  const steps = path.map(String);
  const tooLong = steps.findIndex((step) => step.length > LONGEST_NAME);
  const kept = tooLong === -1 ? steps : steps.slice(0, tooLong);
  return kept.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a path, `undefined` if there is none. */
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

/** Whether a value is a list within its limit. A longer list is rejected for its length alone. */
export function isListOf(value: unknown, max: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= max;
}
