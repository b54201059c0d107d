import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { hot } from '../../../lib/contract/hot.ts';
import { EVENTUALLY } from '../../support/eventually.ts';

it('a schema is compiled after many uses, and still reads every value as before', async () => {
  const schema = z.strictObject({
    id: z.int(),
    name: z.optional(z.string().check(z.maxLength(3))),
    more: z.array(z.int()),
  });
  const used = hot(schema);
  expect(used()).toBe(schema);
  for (let uses = 0; uses < 1_000; uses++) used();
  await vi.waitFor(() => expect(used()).not.toBe(schema), EVENTUALLY);
  const value = fc.oneof(
    fc.record({ id: fc.integer(), name: fc.string(), more: fc.array(fc.integer()) }, { requiredKeys: ['id', 'more'] }),
    fc.object(),
    fc.record(
      { id: fc.double(), name: fc.anything(), more: fc.anything(), other: fc.anything() },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(value, (given) => {
      const [before, after] = [schema.safeParse(given), used().safeParse(given)];
      expect([after.success, after.data, after.error?.issues]).toEqual([
        before.success,
        before.data,
        before.error?.issues,
      ]);
    }),
  );
});
