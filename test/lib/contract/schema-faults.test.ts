import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Fault } from '../../../lib/contract/faults.ts';
import { id, instant, list, optional, rule } from '../../../lib/contract/fields.ts';
import { pointerTo, valueAt } from '../../../lib/contract/pointer.ts';
import { faultsOf } from '../../../lib/contract/schema-faults.ts';

const names = { known: ['content', 'notes'], serviceOnly: ['id'] };

/** Returns the faults of a value by a schema, at a place in a body. */
function faultsFor(schema: z.ZodMiniType, value: unknown, base: readonly PropertyKey[] = []): Fault[] {
  return [...faultsOf(schema.safeParse(value).error?.issues ?? [], value, base, () => names)];
}

describe('a refusal of a schema', () => {
  it.each<[string, z.ZodMiniType, unknown, string]>([
    ['a string', z.string(), undefined, 'required: A string is required.'],
    ['a string', z.string(), null, 'required: A string is required.'],
    ['a string', z.string(), 1, 'wrong-type: This value must be a string.'],
    ['a boolean', z.boolean(), 'true', 'wrong-type: This value must be a boolean.'],
    ['an integer', id(), '1', 'wrong-type: This value must be a number.'],
    ['an integer', id(), 1.5, 'wrong-type: This value must be an integer.'],
    ['an integer', id(), 0, 'out-of-range: This number must be at least 1.'],
    ['an integer', id(), 2 ** 53, 'out-of-range: This number must be below 2^53.'],
    ['an object', z.strictObject({}), [], 'wrong-type: This value must be an object.'],
    ['a list', list(z.string(), { min: 1, max: 2 }), [], 'too-few: This list must have at least 1 entry.'],
    ['a list', list(z.string(), { max: 2 }), [1, 2, 3], 'too-many: This list must have at most 2 entries.'],
    ['an enumeration', z.enum(['a', 'b']), 'c', 'not-allowed: This field must be one of: a, b.'],
    ['a date', instant(), 'now', 'invalid-date: The date must be RFC 3339'],
  ])('of %s names %j', (_, schema, value, words) => {
    const [fault, ...others] = faultsFor(schema, value);
    expect(`${fault?.code}: ${fault?.detail}`).toContain(words);
    expect(others).toEqual([]);
  });

  it('has a pointer from the body’s root', () => {
    const schema = z.strictObject({ notes: z.array(z.string()) });
    expect(faultsFor(schema, { notes: ['a', 5] }, ['segments', 3])).toMatchObject([{ pointer: '/segments/3/notes/1' }]);
  });

  it('lists each unknown field with the nearest name, and each field of answers', () => {
    const schema = z.strictObject({ content: optional(z.string(), '') });
    expect(faultsFor(schema, { contents: 1, id: 1, 'x/y': 1 })).toEqual([
      {
        pointer: '/contents',
        code: 'unknown-field',
        detail: 'This object has no such field. Did you mean content?',
        allowed: ['content'],
      },
      {
        pointer: '/id',
        code: 'service-field',
        detail: 'Only answers have this field. Leave it out of the request.',
      },
      { pointer: '/x~1y', code: 'unknown-field', detail: 'This object has no such field.' },
    ]);
  });

  it('leaves out a name that is too long for a pointer', () => {
    const schema = z.strictObject({ content: optional(z.string(), '') });
    const detail = 'This object has an unknown field, with a name longer than any known name.';
    expect(faultsFor(schema, { ['x'.repeat(129)]: 1 })).toEqual([{ pointer: '', code: 'unknown-field', detail }]);
    expect(faultsFor(schema, { ['x'.repeat(128)]: 1 })).toMatchObject([{ pointer: `/${'x'.repeat(128)}` }]);
  });

  it('says if the UTC year of a date is out of range', () => {
    for (const text of ['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+00:01'])
      expect(faultsFor(instant(), text)).toEqual([
        { pointer: '', code: 'invalid-date', detail: 'The year of this date in UTC is outside 0000 to 9999.' },
      ]);
    for (const text of ['9999-02-30T23:59:59-12:00', 'x'])
      expect(faultsFor(instant(), text)).toMatchObject([{ detail: expect.stringContaining('must be RFC 3339') }]);
  });

  it('needs the fault of a rule', () => {
    expect(() => faultsFor(z.string().check(z.refine(() => false)), 'a')).toThrow(TypeError);
    expect(faultsFor(z.string().check(rule('blank', 'Not so.', () => false)), 'a')).toEqual([
      { pointer: '', code: 'blank', detail: 'Not so.' },
    ]);
  });
});

describe('a pointer', () => {
  it.each<[readonly PropertyKey[], string]>([
    [[], ''],
    [['segments', 0, 'content'], '/segments/0/content'],
    [['a/b', '~', '~1'], '/a~1b/~0/~01'],
    [[''], '/'],
  ])('to %j is %j', (path, pointer) => {
    expect(pointerTo(path)).toBe(pointer);
  });

  it('leads to own values only', () => {
    expect(valueAt({ a: [{ b: null }] }, ['a', 0, 'b'])).toBeNull();
    for (const path of [['constructor'], ['a', 'length', 'x'], ['a', 1], ['b', 'c']]) {
      expect(valueAt({ a: [1] }, path)).toBeUndefined();
    }
  });
});
