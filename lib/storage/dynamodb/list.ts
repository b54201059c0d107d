import { type AttributeValue, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { Item, ItemPage, Range } from '../port.ts';
import { itemOf } from './item.ts';
import { reading } from './reading.ts';

/** Items of a partition in a range, the last first. */
export async function listItems(
  table: string,
  client: DynamoDBClient,
  partition: string,
  { prefix, before, limit, maxBytes }: Range,
): Promise<ItemPage> {
  const condition = conditionOf(prefix, before);
  if (!condition) return { items: [], more: false };
  const items: Item[] = [];
  let bytes = 0;
  let start: Record<string, AttributeValue> | undefined;
  do {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: ['#partition = :partition', ...condition.expression].join(' AND '),
      ExpressionAttributeNames: {
        '#partition': 'partition',
        ...(condition.expression.length > 0 && { '#sort': 'sort' }),
      },
      ExpressionAttributeValues: { ':partition': { S: partition }, ...condition.values },
      ScanIndexForward: false,
      ConsistentRead: true,
      // One more than is asked for tells whether there are more, and the one that all are to be before may be met.
      Limit: limit + 2 - items.length,
      ExclusiveStartKey: start,
    });
    const page = await reading(() => client.send(query));
    for (const stored of page.Items ?? []) {
      const item = itemOf(stored);
      if (item.sort === before) continue;
      if (items.length === limit || (items.length > 0 && bytes >= maxBytes)) return { items, more: true };
      bytes += Buffer.byteLength(stored['data']?.S ?? '');
      items.push(item);
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return { items, more: false };
}

interface Condition {
  readonly expression: readonly string[];
  readonly values: Readonly<Record<string, AttributeValue>>;
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
