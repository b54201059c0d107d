import * as z from 'zod/mini';
import { storeUnavailable } from '../../contract/failures.ts';
import { Problem } from '../../contract/problem.ts';
import { CREDENTIALS, firstVersionOf, INSIDE, type Item, type Key, type ListedStore, type Write } from '../port.ts';
import { decodeData, encodeData } from '../record.ts';
import type { Attributes, DynamoDb, TransactionPart } from './client.ts';
import { commitTransaction, retryRead } from './retries.ts';

/** The tables of a store. A single name stands for one table that has everything. */
export type Tables = string | { readonly main: string; readonly credentials: string };

/** Returns the name of the table that has a partition. */
function tableOf(tables: Tables, partition: string): string {
  if (typeof tables === 'string') return tables;
  return partition.startsWith(CREDENTIALS) ? tables.credentials : tables.main;
}

/**
 * Makes a store of items in DynamoDB, without payloads. A read is one consistent `GetItem`, and a commit is one
 * `TransactWriteItems`.
 */
export function dynamoDbItems(tables: Tables, client: DynamoDb): ListedStore {
  return {
    async read(key) {
      const stored = await readAttributes(tableOf(tables, key.partition), client, key);
      return stored && itemOf(stored);
    },

    async list(partition, { prefix, before, limit, maxBytes }) {
      const items: Item[] = [];
      let bytes = 0;
      // Two more than the limit: one to see whether the range has more items, and one because the range includes
      // `before`.
      const table = tableOf(tables, partition);
      for await (const page of storedPages(table, client, { partition, prefix, before, pageSize: limit + 2 })) {
        for (const stored of page.stored) {
          const item = itemOf(stored);
          if (item.sort === before) continue;
          if (items.length === limit || (items.length > 0 && bytes >= maxBytes)) return { items, more: true };
          bytes += Buffer.byteLength(stored['data']?.S ?? '') + (item.bytes?.length ?? 0);
          items.push(item);
        }
      }
      return { items, more: false };
    },

    commit({ writes, deadline }) {
      const operations = writes.map((write) => changeOf(tables, write));
      return commitTransaction(client, operations, deadline);
    },
  };
}

/** Reads the current attributes of an item, without a check of their shape. */
export async function readAttributes(table: string, client: DynamoDb, key: Key): Promise<Attributes | undefined> {
  const input = { TableName: table, Key: attributesOf(key), ConsistentRead: true };
  const { Item: stored } = await retryRead(client, () => client.call('GetItem', input));
  return stored;
}

/** Selects the items to read from a partition. */
export interface StoredRange {
  readonly partition: string;
  /** The prefix of the sort keys; empty for all items of the partition. */
  readonly prefix: string;
  /** The last sort key of the range. Unlike `before` of `ListRange`, it belongs to the range. */
  readonly before?: string | undefined;
  /** The maximum number of items that one call reads. DynamoDB also limits a call to 1 MB. */
  readonly pageSize?: number;
}

/** The result of one call that reads a range. */
export interface StoredPage {
  /** The attributes of each item, without a check of their shape. */
  readonly stored: readonly Attributes[];
  /** Whether another page follows. It may be empty. */
  readonly more: boolean;
}

/**
 * Yields the attributes of the items in a range, page by page, in descending order of their sort keys.
 * @throws {Problem} `unavailable`
 */
export async function* storedPages(
  table: string,
  client: DynamoDb,
  { partition, prefix, before, pageSize }: StoredRange,
): AsyncGenerator<StoredPage> {
  const { expression, values } = conditionOf(prefix, before);
  let start: Attributes | undefined;
  do {
    const query = {
      TableName: table,
      KeyConditionExpression: ['#partition = :partition', ...expression].join(' AND '),
      ExpressionAttributeNames: { '#partition': 'partition', ...(expression.length > 0 && { '#sort': 'sort' }) },
      ExpressionAttributeValues: { ':partition': { S: partition }, ...values },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: pageSize,
      ExclusiveStartKey: start,
    };
    const page = await retryRead(client, () => client.call('Query', query));
    start = page.LastEvaluatedKey;
    yield { stored: page.Items ?? [], more: start !== undefined };
  } while (start);
}

/**
 * Makes the condition on the sort keys of a range. Leaves out an empty prefix, which DynamoDB does not accept as a
 * value.
 */
function conditionOf(
  prefix: string,
  before: string | undefined,
): { readonly expression: readonly string[]; readonly values: Attributes } {
  const values = {
    ...(prefix !== '' && { ':prefix': { S: prefix } }),
    ...(before !== undefined && { ':before': { S: before } }),
  };
  if (before === undefined) return { expression: prefix === '' ? [] : ['begins_with(#sort, :prefix)'], values };
  return { expression: [prefix === '' ? '#sort <= :before' : '#sort BETWEEN :prefix AND :before'], values };
}

const Count = z.object({ N: z.string().check(z.regex(/^[1-9]\d{0,15}$/)) });
const Text = z.object({ S: z.string() });

/**
 * The schema of an item in the table. `data` is JSON in one attribute, so that DynamoDB changes no number or empty
 * value.
 */
const StoredItem = z.object({
  partition: Text,
  sort: Text,
  version: Count,
  data: Text,
  expiresAtMs: z.optional(Count),
  /** The name of a payload outside the item. */
  payload: z.optional(Text),
  /** A payload inside the item, in base64. */
  bytes: z.optional(z.object({ B: z.string() })),
});

/**
 * Parses the attributes of an item.
 * @throws {Problem} `unavailable` if the attributes have another shape
 */
export function itemOf(stored: unknown): Item {
  try {
    const { partition, sort, version, data, expiresAtMs, payload, bytes } = StoredItem.parse(stored);
    return {
      partition: partition.S,
      sort: sort.S,
      version: Number(version.N),
      data: decodeData(data.S),
      ...(expiresAtMs && { expiresAtMs: Number(expiresAtMs.N) }),
      ...(payload && { payload: payload.S }),
      ...(bytes && { payload: INSIDE, bytes: new Uint8Array(Buffer.from(bytes.B, 'base64')) }),
    };
  } catch (cause) {
    throw cause instanceof Problem ? cause : storeUnavailable(cause);
  }
}

/** Returns a key as attributes of the table. */
export function attributesOf({ partition, sort }: Key): Attributes {
  return { partition: { S: partition }, sort: { S: sort } };
}

/** The placeholders for attribute names in expressions. Some of the names are reserved words of DynamoDB. */
const NAMES = {
  '#version': 'version',
  '#data': 'data',
  '#expiresAtMs': 'expiresAtMs',
  '#expiresAt': 'expiresAt',
  '#payload': 'payload',
  '#bytes': 'bytes',
};
const IS_VERSION = '#version = :version';
const IS_ABSENT = 'attribute_not_exists(#version)';
const CONDITIONS = { insert: IS_ABSENT, replace: IS_VERSION, put: undefined } as const;

/**
 * Makes the part of a transaction that changes or checks the item of one write.
 * @param payload the item's new payload: the bytes for the item itself, or the name of a payload outside; absent if it
 *   gets none
 */
export function changeOf(tables: Tables, write: Write, payload?: Uint8Array | string): TransactionPart {
  const target = { TableName: tableOf(tables, write.key.partition), Key: attributesOf(write.key) };
  const version: Attributes = 'version' in write ? { ':version': { N: String(write.version) } } : {};
  if (write.kind === 'check' || write.kind === 'remove') {
    const condition = {
      ...target,
      ConditionExpression: IS_VERSION,
      ExpressionAttributeNames: { '#version': NAMES['#version'] },
      ExpressionAttributeValues: version,
    };
    return write.kind === 'check' ? { ConditionCheck: condition } : { Delete: condition };
  }
  const { sets, removes, values } = contentOf(write.expiresAtMs, payload);
  const expired = write.kind === 'insert' ? write.replacesExpiredAtMs : undefined;
  const max = write.kind === 'put' ? write.maxVersion : undefined;
  return {
    Update: {
      ...target,
      UpdateExpression: `SET ${[ONE_MORE, '#data = :data', ...sets].join()}${removes.length > 0 ? ` REMOVE ${removes.join()}` : ''}`,
      ConditionExpression: conditionFor(write.kind, { expired, max }),
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: {
        ':before': { N: String(firstVersionOf(write) - 1) },
        ':one': { N: '1' },
        ':data': { S: encodeData(write.data) },
        ...values,
        ...version,
        ...(expired !== undefined && { ':expired': { N: String(expired) } }),
        ...(max !== undefined && { ':max': { N: String(max - 1) } }),
      },
    },
  };
}

function conditionFor(
  kind: keyof typeof CONDITIONS,
  { expired, max }: { readonly expired: number | undefined; readonly max: number | undefined },
): string | undefined {
  if (expired !== undefined) return `${IS_ABSENT} OR #expiresAtMs <= :expired`;
  return max === undefined ? CONDITIONS[kind] : `${IS_ABSENT} OR #version <= :max`;
}

const ONE_MORE = '#version = if_not_exists(#version, :before) + :one';

/**
 * Returns the parts of an update expression for the optional attributes of an item. The expiry is stored twice, because
 * DynamoDB's time to live needs seconds.
 */
function contentOf(expiresAtMs: number | undefined, payload: Uint8Array | string | undefined) {
  const optional = {
    expiresAtMs: expiresAtMs === undefined ? undefined : { N: String(expiresAtMs) },
    expiresAt: expiresAtMs === undefined ? undefined : { N: String(Math.ceil(expiresAtMs / 1_000)) },
    payload: typeof payload === 'string' ? { S: payload } : undefined,
    bytes: payload instanceof Uint8Array ? { B: Buffer.from(payload).toString('base64') } : undefined,
  };
  const present = Object.entries(optional).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  return {
    sets: present.map(({ name }) => `#${name} = :${name}`),
    removes: Object.entries(optional).flatMap(([name, value]) => (value ? [] : [`#${name}`])),
    values: Object.fromEntries(present.map(({ name, value }) => [`:${name}`, value])),
  };
}
