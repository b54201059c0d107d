import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AwsRefusal } from '../../lib/aws/json-client.ts';
import { type DynamoDb, dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import type { Batch, Storage } from '../../lib/storage/port.ts';
import { DynamoDbStandIn } from '../support/aws/dynamodb.ts';
import { S3StandIn } from '../support/aws/s3.ts';
import { EDGES } from './differential/edges.ts';
import { type Step, steps, writeOf } from './differential/steps.ts';
import { createTable } from './table.ts';

/** The number of sequences that run at the same time, each in its own partition. */
const AT_ONCE = 20;
const TIMEOUT_MS = 300_000;

const standIn = new DynamoDbStandIn();
const local = dynamoDbClient({ now: Date.now });
const sdk = { ofStandIn: standIn.newSdkClient(), local: new DynamoDBClient() };

beforeAll(() => createTable(standIn.tableName));
afterAll(() => Object.values(sdk).forEach((client) => void client.destroy()));

/** Returns a store with predictable object names. */
function storageOn(client: DynamoDb): Storage {
  let ids = 0;
  const newId = () => String(++ids);
  return dynamoDbStorage({
    table: standIn.tableName,
    client,
    objects: new S3StandIn().objects,
    now: () => 0,
    newId,
  });
}

/** Makes the same calls to both stores, and compares the results. */
async function compare(sequence: readonly Step[]): Promise<void> {
  const partition = randomUUID();
  const [ours, theirs] = [storageOn(standIn.client), storageOn(local)];
  for (const step of sequence) {
    const call = await callOf(step, partition, ours);
    expect(await call(ours)).toEqual(await call(theirs));
  }
}

async function callOf(step: Step, partition: string, known: Storage): Promise<(storage: Storage) => Promise<unknown>> {
  const key = (sort: string) => ({ partition, sort });
  switch (step.call) {
    case 'commit': {
      const items = await Promise.all(step.drafts.map(({ sort }) => known.read(key(sort))));
      const batch: Batch = { writes: step.drafts.map((draft, n) => writeOf(draft, partition, items[n])) };
      return (storage) => storage.commit(batch);
    }
    case 'list':
      return (storage) => storage.list(partition, step.range);
    case 'read':
      return (storage) => storage.read(key(step.sort));
    case 'readWithPayload':
      return async (storage) => {
        const whole = await storage.readWithPayload(key(step.sort));
        return whole && { ...whole, bytes: Buffer.from(whole.bytes).toString('latin1') };
      };
  }
}

it('the stand-in answers 2,000 sequences of calls like DynamoDB Local', { timeout: TIMEOUT_MS }, async () => {
  const sequences = fc.array(steps, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(sequences, async (all) => {
    await Promise.all(all.map(compare));
  });
  await fc.assert(property, { numRuns: 2_000 / AT_ONCE });
});

it.each(Object.entries(EDGES))('the stand-in treats this edge like DynamoDB Local: %s', async (_, edge) => {
  const partition = randomUUID();
  const said = async (client: DynamoDb, sdkClient: DynamoDBClient) => {
    try {
      return await edge({ client, sdk: sdkClient, table: standIn.tableName, partition });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return error instanceof AwsRefusal ? { code: error.code, reasons: error.reasons } : { code: error.name };
    }
  };
  expect(await said(standIn.client, sdk.ofStandIn)).toEqual(await said(local, sdk.local));
});
