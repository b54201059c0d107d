import type { Json, JsonObject } from '../support/projects.ts';

/** Returns the value at a JSON pointer (RFC 6901), or `undefined` if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const key of keysOf(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

/** Returns a copy of a project with another value at a pointer. `undefined` removes the field. */
export function withValueAt(root: JsonObject, pointer: string, value: Json | undefined): JsonObject {
  const copy = structuredClone(root);
  const keys = keysOf(pointer);
  const last = keys.pop() ?? '';
  const parent = valueAt(copy, keys.map((key) => `/${escapeKey(key)}`).join(''));
  if (typeof parent !== 'object' || parent === null) throw new RangeError(`There is nothing at ${pointer}`);
  if (value === undefined) Reflect.deleteProperty(parent, last);
  // Defined, not assigned, so that a field can be called `__proto__`.
  else Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** Escapes a key for a JSON pointer. */
function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
