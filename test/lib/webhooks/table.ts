import type { DynamoDb } from '../../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { listItems } from '../../../lib/storage/dynamodb/list.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';

/** A table of deliveries, as the stack's functions have it. */
export function tableAt({ tableName, client }: { tableName: string; client: DynamoDb }): ListedStore {
  return {
    ...dynamoDbItems(tableName, client),
    list: (partition, range) => listItems(tableName, client, partition, range),
  };
}
