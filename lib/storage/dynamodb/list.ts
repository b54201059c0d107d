import type { Item, ItemPage, Range } from '../port.ts';
import type { DynamoDb } from './client.ts';
import { itemOf } from './item.ts';
import { reading } from './reading.ts';
import type { Attributes } from './wire.ts';

/** Items of a partition in a range, the last first. */
export async function listItems(
  table: string,
  client: DynamoDb,
  partition: string,
  { prefix, before, limit, maxBytes }: Range,
): Promise<ItemPage> {
  const items: Item[] = [];
  let bytes = 0;
  // One more than is asked for tells whether there are more, and the one that all are to be before may be met.
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
  /** Up to this sort key, which may be met itself. */
  readonly before?: string | undefined;
  /** As many as a call may read; no more than 1 MB in any case. */
  readonly pageSize?: number;
}

export interface StoredPage {
  readonly stored: readonly Attributes[];
  /** Whether the next page may have more. */
  readonly more: boolean;
}

/**
 * What the table holds in a range, whatever it is, the last first: a page for each call.
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
    const page = await reading(() => client.call('Query', query));
    start = page.LastEvaluatedKey;
    yield { stored: page.Items ?? [], more: start !== undefined };
  } while (start);
}

interface Condition {
  readonly expression: readonly string[];
  readonly values: Attributes;
}

/** @returns `undefined` where no sort key can meet it */
function conditionOf(prefix: string, before: string | undefined): Condition | undefined {
  // Sort keys are ordered by their bytes in UTF-8, as are those of the other store.
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
