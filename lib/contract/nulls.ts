import { fieldsOf } from './pointer.ts';

/** A type of JSON values whose fields are never null: there, null means the same as leaving the field out. */
export type WithoutNulls<T> = T extends readonly (infer E)[]
  ? WithoutNulls<E>[]
  : T extends object
    ? { [K in keyof T]: WithoutNulls<Exclude<T[K], null>> }
    : T;

/** Leaves out every field that is null, at any depth. A value that has none is returned as it is, not copied. */
export function withoutNulls<T>(value: T): WithoutNulls<T>;
export function withoutNulls(value: unknown): unknown {
  if (!hasNull(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

/** Whether an object or array has a null in it, at any depth. Nearly none has, so this is where the time goes. */
function hasNull(value: unknown): value is object {
  const fields = fieldsOf(value);
  if (!fields) return false;
  if (Array.isArray(value)) return value.some(hasNull);
  for (const name in fields) {
    const field = fields[name];
    if (field === null || (typeof field === 'object' && hasNull(field))) return true;
  }
  return false;
}
