import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { messageKey } from '../../../lib/webhooks/delivery-records.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { expectProblem } from '../support.ts';
import { creation, DAY_MS, worldWith } from './world.ts';

it('recognises a delivery for two weeks after its end, without a trace of its message', async () => {
  const fields = { headers: { 'x-canary': 'canary header' } };
  const { world, message } = await worldWith(creation({ customId: 'canary page' }), fields);
  expect(await world.inbox.accept(message)).toBe('repeated');
  expect(await world.run()).toEqual({ done: 1, postponed: 0, dead: 0, left: 0, oldestMs: 0, letters: 0 });
  expect(await world.stateOf(message)).toMatchObject({ kind: 'done', attempts: 1, result: { segments: 1 } });
  const stored = JSON.stringify(world.store instanceof MemoryStorage ? world.store.all() : undefined);
  const base64 = Buffer.from(message.body).toString('base64').slice(0, 40);
  for (const trace of ['canary', base64]) expect(stored).not.toContain(trace);

  world.nowMs += 14 * DAY_MS - 1;
  expect(await world.inbox.accept({ ...message, receivedAtMs: world.nowMs })).toBe('repeated');
  expect(await world.run()).toMatchObject({ done: 0 });
  world.nowMs++;
  expect(await world.inbox.accept({ ...message, receivedAtMs: world.nowMs })).toBe('accepted');
  expect(await world.run()).toMatchObject({ dead: 1 });
  expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'custom-id-in-use' } });
});

it('refuses another message with the same id, unless it has another source', async () => {
  const { world } = await worldWith('{}', { id: 'theirs' });
  await expectProblem('idempotency-key-reused', () => world.inbox.accept(world.message('[]', { id: 'theirs' })));
  expect(await world.inbox.accept(world.message('[]', { id: 'theirs', source: 'other' }))).toBe('accepted');
});

it('stores a message of text in a fraction of its size', async () => {
  const segments = Array.from({ length: 200 }, (_, n) => ({ customId: `${n}`, content: `The text of segment ${n}.` }));
  const { world, message } = await worldWith(creation({ segments }));
  const item = await world.store.read(messageKey(message));
  expect(JSON.stringify(item?.data).length).toBeLessThan(message.body.length / 4);
  expect(await world.run()).toMatchObject({ done: 1 });
});

it('accepts the largest message', async () => {
  const content = randomBytes(90_000).toString('base64') + randomBytes(90_000).toString('hex').slice(0, 120_000);
  const fields = { headers: { x: 'y'.repeat(10_000) } };
  const { world, message } = await worldWith(creation({ segments: [{ content }] }), fields);
  expect(message.body.length).toBeGreaterThan(239_000);
  const item = await world.store.read(messageKey(message));
  expect(JSON.stringify(item?.data).length).toBeLessThan(390_000);
  expect(await world.run()).toMatchObject({ done: 1 });
});
