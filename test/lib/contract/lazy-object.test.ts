import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { looseObject, object, strictObject } from '../../../lib/contract/lazy-object.ts';

const MAKERS = { object, strictObject, looseObject };
const EAGER = { object: z.object, strictObject: z.strictObject, looseObject: z.looseObject };
const shape = () => ({ id: z.int(), name: z.optional(z.string()) });

describe.each(['object', 'strictObject', 'looseObject'] as const)('%s', (kind) => {
  it('makes its fields once, at the first use', () => {
    let made = 0;
    const schema = MAKERS[kind](() => {
      made++;
      return shape();
    });
    const list = z.array(z.optional(schema));
    expect(made).toBe(0);
    list.parse([{ id: 1 }, { id: 2 }]);
    schema.parse({ id: 3 });
    expect(Object.keys(schema.shape)).toEqual(['id', 'name']);
    expect(made).toBe(1);
  });

  it.each([{ id: 1 }, { id: 1, name: 'a', other: 2 }, { id: 'a', other: 2 }, {}, null, 'text'])(
    'reads %j as the schema of zod does',
    (value) => {
      const schema = MAKERS[kind](shape);
      const expected = EAGER[kind](shape()).safeParse(value);
      const { success, data, error } = schema.safeParse(value);
      expect({ success, data, issues: error?.issues }).toEqual({
        success: expected.success,
        data: expected.data,
        issues: expected.error?.issues,
      });
      expect(z.toJSONSchema(schema)).toEqual(z.toJSONSchema(EAGER[kind](shape())));
    },
  );
});
