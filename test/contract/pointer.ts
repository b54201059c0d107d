import type { Json, JsonObject } from '../support/projects.ts';

/** The value a JSON pointer (RFC 6901) leads to; `undefined` where there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const key of keysOf(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

/** A copy of a project in which the value at a pointer is another one; `undefined` takes the field out. */
export function withValueAt(root: JsonObject, pointer: string, value: Json | undefined): JsonObject {
  const copy = structuredClone(root);
  const keys = keysOf(pointer);
  const last = keys.pop() ?? '';
  const parent = valueAt(copy, keys.map((key) => `/${escapeKey(key)}`).join(''));
  if (typeof parent !== 'object' || parent === null) throw new RangeError(`There is nothing at ${pointer}`);
  if (value === undefined) Reflect.deleteProperty(parent, last);
  // Defined, not assigned: `__proto__` is a name like any other.
  else Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** A key as it stands in a pointer. */
export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
