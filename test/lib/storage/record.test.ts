import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { decodeData, recordOf } from '../../../lib/storage/record.ts';
import { problemOf } from '../support.ts';

it('refuses a record in a format of a newer release, and says that a retry may help', async () => {
  const problem = await problemOf(async () => decodeData('{"v":2,"name":"a"}'));
  expect(problem).toMatchObject({ name: 'unavailable', occurrence: { retryAfterSeconds: 60 } });
});

it('keeps the fields of a record that its schema does not know', () => {
  const record = recordOf(() => ({ name: z.string(), inner: recordOf(() => ({ count: z.int() })) }));
  const stored = { name: 'a', inner: { count: 1, addedLater: true }, addedLater: [1] };
  expect(record.parse(stored)).toEqual(stored);
  expect(record.safeParse({ name: 1, inner: { count: 1 } }).success).toBe(false);
});
