/** A type of JSON values whose fields are never null: there, null means the same as leaving the field out. */
export type WithoutNulls<T> = T extends readonly (infer E)[]
  ? WithoutNulls<E>[]
  : T extends object
    ? { [K in keyof T]: WithoutNulls<Exclude<T[K], null>> }
    : T;

/** Leaves out every field that is null, at any depth. A value that has none is returned as it is, not copied. */
export function withoutNulls<T>(value: T): WithoutNulls<T>;
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries: unknown[] = value.map(withoutNulls);
    return entries.every((entry, index) => entry === value[index]) ? value : entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  let changed = false;
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const kept: unknown = withoutNulls(field);
    if (kept !== field || kept === null) changed = true;
    if (kept !== null) fields[name] = kept;
  }
  return changed ? fields : value;
}
