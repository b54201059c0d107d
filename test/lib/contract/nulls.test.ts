import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutNulls } from '../../../lib/contract/fields.ts';

const json = fc.jsonValue({ maxDepth: 5 });

describe('withoutNulls', () => {
  it('leaves out null fields at any depth, and nothing else', () => {
    const value = { a: null, b: { c: null, d: [{ e: null, f: 0 }, 'x'] }, g: '', h: false, i: [] };
    expect(withoutNulls(value)).toStrictEqual({ b: { d: [{ f: 0 }, 'x'] }, g: '', h: false, i: [] });
  });

  it('copies nothing where there is no null, and never changes what it is given', () => {
    const value = { a: { b: [1] }, c: [{ d: 1 }, { d: null }] };
    const copy = structuredClone(value);
    const result = withoutNulls(value);
    expect(result.a).toBe(value.a);
    expect(result.c[0]).toBe(value.c[0]);
    expect(value).toEqual(copy);
  });

  it('is done after one pass', () => {
    const fieldsOfAll = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null
        ? [...(Array.isArray(value) ? [] : Object.values(value)), ...Object.values(value).flatMap(fieldsOfAll)]
        : [];
    fc.assert(
      fc.property(json, (value) => {
        const result: unknown = withoutNulls(value);
        expect(fieldsOfAll(result)).not.toContain(null);
        expect(withoutNulls(result)).toBe(result);
      }),
    );
  });
});
