import * as z from 'zod/mini';
import { firstVersionOf, type Item, type Key, type ListedStore, storeUnavailable, type Write } from '../port.ts';
import type { Attributes, DynamoDb, TransactionPart } from './client.ts';
import { commitTransaction, retryRead } from './retries.ts';

/** The items of a DynamoDB table. A read is one consistent `GetItem`, a commit one `TransactWriteItems` without payloads. */
export function dynamoDbItems(table: string, client: DynamoDb): ListedStore {
  return {
    async read(key) {
      const stored = await readAttributes(table, client, key);
      return stored && itemOf(stored);
    },

    async list(partition, { prefix, before, limit, maxBytes }) {
      const items: Item[] = [];
      let bytes = 0;
      // One more item shows whether there are more, and the pages include `before` itself.
      for await (const page of storedPages(table, client, { partition, prefix, before, pageSize: limit + 2 })) {
        for (const stored of page.stored) {
          const item = itemOf(stored);
          if (item.sort === before) continue;
          if (items.length === limit || (items.length > 0 && bytes >= maxBytes)) return { items, more: true };
          bytes += Buffer.byteLength(stored['data']?.S ?? '');
          items.push(item);
        }
      }
      return { items, more: false };
    },

    commit({ writes, deadline }) {
      const operations = writes.map((write) => changeOf(table, write));
      return commitTransaction(client, operations, deadline);
    },
  };
}

/** Reads the attributes of an item unchecked, as the last commit left them. */
export async function readAttributes(table: string, client: DynamoDb, key: Key): Promise<Attributes | undefined> {
  const input = { TableName: table, Key: attributesOf(key), ConsistentRead: true };
  const { Item: stored } = await retryRead(() => client.call('GetItem', input));
  return stored;
}

export interface StoredRange {
  readonly partition: string;
  readonly prefix: string;
  /** Up to this sort key, inclusive. */
  readonly before?: string | undefined;
  /** How many items a call reads at most. DynamoDB reads at most 1 MB. */
  readonly pageSize?: number;
}

export interface StoredPage {
  readonly stored: readonly Attributes[];
  /** Whether the next page may have more. */
  readonly more: boolean;
}

/**
 * Reads the attributes of the items in a range unchecked, in descending order of their sort keys, page by page.
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
    const page = await retryRead(() => client.call('Query', query));
    start = page.LastEvaluatedKey;
    yield { stored: page.Items ?? [], more: start !== undefined };
  } while (start);
}

/** The condition on the sort keys of a range. DynamoDB takes no empty text as a value. */
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

/** An item in the table. `data` is JSON in one attribute, so that DynamoDB changes no number or empty value. */
const StoredItem = z.object({
  partition: Text,
  sort: Text,
  version: Count,
  data: Text,
  expiresAtMs: z.optional(Count),
  payload: z.optional(Text),
});

/** Reads an item. @throws {Problem} `unavailable` if the attributes have another shape */
export function itemOf(stored: unknown): Item {
  try {
    const { partition, sort, version, data, expiresAtMs, payload } = StoredItem.parse(stored);
    return {
      partition: partition.S,
      sort: sort.S,
      version: Number(version.N),
      data: JSON.parse(data.S),
      ...(expiresAtMs && { expiresAtMs: Number(expiresAtMs.N) }),
      ...(payload && { payload: payload.S }),
    };
  } catch (cause) {
    throw storeUnavailable(cause);
  }
}

/** A key in the table. */
export function attributesOf({ partition, sort }: Key): Attributes {
  return { partition: { S: partition }, sort: { S: sort } };
}

/** Placeholders for the attributes, because some of their names are reserved words. */
const NAMES = {
  '#version': 'version',
  '#data': 'data',
  '#expiresAtMs': 'expiresAtMs',
  '#expiresAt': 'expiresAt',
  '#payload': 'payload',
};
const IS_VERSION = '#version = :version';
const CONDITIONS = { insert: 'attribute_not_exists(#version)', replace: IS_VERSION, put: undefined } as const;

/**
 * Makes the operation of a transaction for one write.
 * @param payload the name of the item's payload
 */
export function changeOf(table: string, write: Write, payload?: string): TransactionPart {
  const target = { TableName: table, Key: attributesOf(write.key) };
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
  return {
    Update: {
      ...target,
      UpdateExpression: `SET ${[ONE_MORE, '#data = :data', ...sets].join()}${removes.length > 0 ? ` REMOVE ${removes.join()}` : ''}`,
      ConditionExpression: CONDITIONS[write.kind],
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: {
        ':before': { N: String(firstVersionOf(write) - 1) },
        ':one': { N: '1' },
        ':data': { S: JSON.stringify(write.data) },
        ...values,
        ...version,
      },
    },
  };
}

const ONE_MORE = '#version = if_not_exists(#version, :before) + :one';

/** The optional attributes of an item. A table's time to live is in seconds, so the expiry is stored twice. */
function contentOf(expiresAtMs: number | undefined, payload: string | undefined) {
  const optional = {
    expiresAtMs: expiresAtMs === undefined ? undefined : { N: String(expiresAtMs) },
    expiresAt: expiresAtMs === undefined ? undefined : { N: String(Math.ceil(expiresAtMs / 1_000)) },
    payload: payload === undefined ? undefined : { S: payload },
  };
  const present = Object.entries(optional).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  return {
    sets: present.map(({ name }) => `#${name} = :${name}`),
    removes: Object.entries(optional).flatMap(([name, value]) => (value ? [] : [`#${name}`])),
    values: Object.fromEntries(present.map(({ name, value }) => [`:${name}`, value])),
  };
}
