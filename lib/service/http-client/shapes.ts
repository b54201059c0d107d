/** Tells whether a value, parsed from JSON, has a type. A client that checks so needs no schema library. */
export type Shape<T> = (value: unknown) => value is T;

export const anything = (_value: unknown): _value is unknown => true;
export const string = (value: unknown): value is string => typeof value === 'string';
export const number = (value: unknown): value is number => typeof value === 'number';
export const integer = (value: unknown): value is number => Number.isSafeInteger(value);
export const boolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** A value that may be absent. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value): value is T | undefined => value === undefined || shape(value);
}

/** A value that may be null or absent. */
export function nullish<T>(shape: Shape<T>): Shape<T | null | undefined> {
  return (value): value is T | null | undefined => value === null || value === undefined || shape(value);
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value): value is T | null => value === null || shape(value);
}

/** A value that has one of several shapes. */
export function anyOf<T>(...shapes: readonly Shape<T>[]): Shape<T> {
  return (value): value is T => shapes.some((shape) => shape(value));
}

export function oneOf<const T extends readonly (string | number | boolean)[]>(...values: T): Shape<T[number]> {
  return (value): value is T[number] => values.some((each) => each === value);
}

/** A text of a list to which a newer version of Segue may add. */
export function openEnum<T extends string>(): Shape<T> {
  return (value): value is T => typeof value === 'string';
}

export function listOf<T>(shape: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(shape);
}

/** An object with these fields, and any others. The compiler requires a shape of the right type for each field. */
export function object<T extends object>(fields: { readonly [Name in keyof T]-?: Shape<T[Name]> }): Shape<T> {
  const shapes = Object.entries<Shape<unknown>>(fields);
  return (value): value is T => {
    if (!isRecord(value)) return false;
    return shapes.every(([name, shape]) => shape(Object.hasOwn(value, name) ? value[name] : undefined));
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
