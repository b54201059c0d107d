import type { Commit, Item, ItemPage, Key, ListedStore, Range } from '../port.ts';
import { commitTransaction, retryRead } from './calls.ts';
import type { Attributes, DynamoDb } from './client.ts';
import { attributesOf, changeOf, itemOf } from './item.ts';

/** Items of a DynamoDB table: each read is one consistent `GetItem`, each commit one `TransactWriteItems`. */
export function dynamoDbItems(table: string, client: DynamoDb): ListedStore {
  return {
    read: (key) => readItem(table, client, key),
    list: (partition, range) => listItems(table, client, partition, range),
    commit: ({ writes }): Promise<Commit> =>
      commitTransaction(
        client,
        writes.map((write) => changeOf(table, write)),
      ),
  };
}

/** Reads an item as the last commit left it. */
export async function readItem(table: string, client: DynamoDb, key: Key): Promise<Item | undefined> {
  const stored = await readAttributes(table, client, key);
  return stored && itemOf(stored);
}

/** Reads the attributes at a key unchecked. */
export async function readAttributes(table: string, client: DynamoDb, key: Key) {
  const input = { TableName: table, Key: attributesOf(key), ConsistentRead: true };
  const { Item: stored } = await retryRead(() => client.call('GetItem', input));
  return stored;
}

/** Lists the items of a partition in a range, the last first. */
export async function listItems(
  table: string,
  client: DynamoDb,
  partition: string,
  { prefix, before, limit, maxBytes }: Range,
): Promise<ItemPage> {
  const items: Item[] = [];
  let bytes = 0;
  // One more item shows whether there are more, and `before` itself may be met.
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
}

export interface StoredRange {
  readonly partition: string;
  readonly prefix: string;
  /** Up to this sort key, inclusive. */
  readonly before?: string | undefined;
  /** The most items that a call reads; DynamoDB reads no more than 1 MB in any case. */
  readonly pageSize?: number;
}

export interface StoredPage {
  readonly stored: readonly Attributes[];
  /** Whether the next page may have more. */
  readonly more: boolean;
}

/**
 * Reads the attributes in a range unchecked, the last first. Each call gives a page.
 * @throws {Problem} `unavailable`
 */
export async function* storedPages(
  table: string,
  client: DynamoDb,
  { partition, prefix, before, pageSize }: StoredRange,
): AsyncGenerator<StoredPage> {
  const condition = conditionOf(prefix, before);
  if (!condition) return;
  let start: Attributes | undefined;
  do {
    const query = {
      TableName: table,
      KeyConditionExpression: ['#partition = :partition', ...condition.expression].join(' AND '),
      ExpressionAttributeNames: {
        '#partition': 'partition',
        ...(condition.expression.length > 0 && { '#sort': 'sort' }),
      },
      ExpressionAttributeValues: { ':partition': { S: partition }, ...condition.values },
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

interface Condition {
  readonly expression: readonly string[];
  readonly values: Attributes;
}

/** @returns `undefined` if no sort key can match */
function conditionOf(prefix: string, before: string | undefined): Condition | undefined {
  // DynamoDB orders sort keys by their bytes in UTF-8, as SQLite does.
  if (before?.startsWith(prefix)) {
    if (before === '') return undefined;
    if (prefix === '') return { expression: ['#sort <= :before'], values: { ':before': { S: before } } };
    const values = { ':prefix': { S: prefix }, ':before': { S: before } };
    return { expression: ['#sort BETWEEN :prefix AND :before'], values };
  }
  if (before !== undefined && Buffer.compare(Buffer.from(before), Buffer.from(prefix)) < 0) return undefined;
  if (prefix === '') return { expression: [], values: {} };
  return { expression: ['begins_with(#sort, :prefix)'], values: { ':prefix': { S: prefix } } };
}
