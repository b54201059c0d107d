import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { fetchedKey, messageKey } from '../../lib/webhooks/delivery-records.ts';
import { fetchWorld, LARGE } from '../lib/webhooks/fetch-world.ts';
import { checkDeliveries } from '../lib/webhooks/many.ts';
import { creation, DeliveryWorld } from '../lib/webhooks/world.ts';
import { createTable } from './table.ts';

const client = dynamoDbClient({ now: Date.now });

async function newTable() {
  const tableName = `segue-${randomUUID()}`;
  await createTable(tableName);
  return dynamoDbItems(tableName, client);
}

it('applies each of 150 deliveries once, or makes it a dead letter', async () => {
  const { applied, dead } = await checkDeliveries(150, 5, await newTable());
  expect(applied + dead).toBe(150);
});

it('accepts a message of the largest size, and deletes it afterwards', async () => {
  const world = new DeliveryWorld(await newTable());
  const content = randomBytes(196_000).toString('base64');
  const message = world.message(creation({ segments: [{ content }] }), { headers: { 'x-long': 'y'.repeat(10_000) } });
  expect(message.body.length).toBeGreaterThan(261_000);
  expect(await world.inbox.accept(message)).toBe('accepted');
  expect(await world.inbox.accept(message)).toBe('repeated');
  expect(await world.run()).toMatchObject({ done: 1 });
  expect(await world.store.read(messageKey(message))).toBeUndefined();
});

it('stores and erases a fetched entry of the largest size, and one that a redrive fetches again', async () => {
  const { world, content, message, run } = await fetchWorld({ put: LARGE.text }, await newTable());
  const chunk = (n: number) => world.store.read(fetchedKey(message, n));
  expect(await run()).toMatchObject({ dead: 1 });
  expect(await world.letters.fetched(message)).toBe(JSON.stringify(content.entry));
  expect(await chunk(8)).toBeDefined();
  await world.redrive();
  content.entry = LARGE;
  expect(await run()).toMatchObject({ done: 1 });
  expect(await Promise.all(Array.from({ length: 20 }, (_, n) => chunk(n)))).toEqual(Array(20).fill(undefined));
});

it('accepts one of twenty equal messages at once that count as one for some time, and another afterwards', async () => {
  const world = new DeliveryWorld(await newTable());
  const recent = { key: 'equal', forMs: 60_000 };
  const accept = (id: string) => world.inbox.acceptUnlessRecent(world.message(creation(), { id }), recent);
  const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => accept(`message ${n}`)));
  expect(taken.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
  expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
  world.nowMs += 60_000;
  expect(await accept('later')).toEqual({ id: 'later', isRepeated: false });
});

it('accepts one of twenty equal messages at once', async () => {
  const world = new DeliveryWorld(await newTable());
  const message = world.message(creation({ customId: 'page' }));
  const taken = await Promise.all(Array.from({ length: 20 }, () => world.inbox.accept(message)));
  expect(taken.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
  await Promise.all(Array.from({ length: 5 }, () => world.run()));
  expect(await world.made()).toEqual(['page']);
});
