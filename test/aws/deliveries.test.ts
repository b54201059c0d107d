import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { messageKey } from '../../lib/webhooks/delivery-records.ts';
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

it('accepts one of twenty equal messages at once', async () => {
  const world = new DeliveryWorld(await newTable());
  const message = world.message(creation({ customId: 'page' }));
  const taken = await Promise.all(Array.from({ length: 20 }, () => world.inbox.accept(message)));
  expect(taken.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
  await Promise.all(Array.from({ length: 5 }, () => world.run()));
  expect(await world.made()).toEqual(['page']);
});
