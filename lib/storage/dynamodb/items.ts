import {
  DynamoDBClient,
  GetItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { Problem } from '../../contract/problem.ts';
import type { Commit, Item, ItemStore, Key, Write } from '../port.ts';

const Milliseconds = z.object({ N: z.string().check(z.regex(/^[1-9]\d{0,15}$/)) });

/** An item as the table has it: `data` is JSON in one attribute, so that no number or empty value changes on the way. */
const StoredItem = z.object({
  partition: z.object({ S: z.string() }),
  sort: z.object({ S: z.string() }),
  version: z.object({ N: z.string().check(z.regex(/^[1-9]\d{0,15}$/)) }),
  data: z.object({ S: z.string() }),
  expiresAtMs: z.optional(Milliseconds),
});

/** A client of Amazon DynamoDB: one a process, its region, credentials and endpoint from the SDK's own settings. */
export function dynamoDbClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 2,
    // Two attempts fit into the time of a request; the SDK by itself would wait for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  });
}

/** Items of a DynamoDB table: each read is one consistent `GetItem`, each commit one `TransactWriteItems`. */
export function dynamoDbItems(table: string, client: DynamoDBClient): ItemStore {
  return {
    async read({ partition, sort }: Key): Promise<Item | undefined> {
      const command = new GetItemCommand({
        TableName: table,
        Key: { partition: { S: partition }, sort: { S: sort } },
        ConsistentRead: true,
      });
      try {
        const { Item: stored } = await client.send(command);
        return stored && itemOf(StoredItem.parse(stored));
      } catch (cause) {
        throw unavailable(cause);
      }
    },
    async commit({ writes }): Promise<Commit> {
      const command = new TransactWriteItemsCommand({ TransactItems: writes.map((write) => changeOf(table, write)) });
      try {
        await client.send(command);
        return { ok: true };
      } catch (error) {
        const refused = refusedBy(error);
        if (refused !== -1) return { ok: false, refused };
        // DynamoDB said no, or it may have said yes and nobody heard it.
        throw isAnswer(error) ? unavailable(error) : unheard(error);
      }
    },
  };
}

/** Names in place of the attributes' own, some of which are words of DynamoDB's expressions. */
const NAMES = { '#version': 'version', '#data': 'data', '#expiresAtMs': 'expiresAtMs', '#expiresAt': 'expiresAt' };
const IS_VERSION = '#version = :version';

/** One write of a transaction. The time to live of a table is in seconds, so an item has its expiry twice. */
function changeOf(table: string, write: Write): TransactWriteItem {
  const target = { TableName: table, Key: { partition: { S: write.key.partition }, sort: { S: write.key.sort } } };
  const version = 'version' in write ? { ':version': { N: String(write.version) } } : {};
  if (write.kind === 'check' || write.kind === 'remove') {
    const condition = {
      ...target,
      ConditionExpression: IS_VERSION,
      ExpressionAttributeNames: { '#version': NAMES['#version'] },
      ExpressionAttributeValues: version,
    };
    return write.kind === 'check' ? { ConditionCheck: condition } : { Delete: condition };
  }
  const { data, expiresAtMs } = write;
  const expiry =
    expiresAtMs === undefined
      ? { sets: [], removes: ' REMOVE #expiresAtMs, #expiresAt', values: {} }
      : {
          sets: ['#expiresAtMs = :expiresAtMs', '#expiresAt = :expiresAt'],
          removes: '',
          values: {
            ':expiresAtMs': { N: String(expiresAtMs) },
            ':expiresAt': { N: String(Math.ceil(expiresAtMs / 1_000)) },
          },
        };
  const sets = ['#version = if_not_exists(#version, :zero) + :one', '#data = :data', ...expiry.sets];
  const condition = { insert: 'attribute_not_exists(#version)', replace: IS_VERSION, put: undefined }[write.kind];
  return {
    Update: {
      ...target,
      UpdateExpression: `SET ${sets.join(', ')}${expiry.removes}`,
      ConditionExpression: condition,
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: {
        ':zero': { N: '0' },
        ':one': { N: '1' },
        ':data': { S: JSON.stringify(data) },
        ...expiry.values,
        ...version,
      },
    },
  };
}

/** The index of the first write whose condition did not hold, -1 where that is not what happened. */
function refusedBy(error: unknown): number {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
}

/** Whether an error is an answer of DynamoDB that the request was refused. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && '$fault' in error && error['$fault'] === 'client';
}

function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', { detail: 'The store cannot be used now.', retryAfterSeconds: 5 }, { cause });
}

function unheard(cause: unknown): Problem {
  return new Problem('outcome-unknown', { detail: 'The store did not say whether it took the change.' }, { cause });
}

function itemOf({ partition, sort, version, data, expiresAtMs }: z.infer<typeof StoredItem>): Item {
  return {
    partition: partition.S,
    sort: sort.S,
    version: Number(version.N),
    data: JSON.parse(data.S),
    ...(expiresAtMs && { expiresAtMs: Number(expiresAtMs.N) }),
  };
}
