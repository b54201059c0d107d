import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { Problem } from '../../contract/problem.ts';
import type { Item, ItemReader, Key } from '../port.ts';

/** An item as the table has it: `data` is JSON in one attribute, so that no number or empty value changes on the way. */
const StoredItem = z.object({
  partition: z.object({ S: z.string() }),
  sort: z.object({ S: z.string() }),
  version: z.object({ N: z.string().check(z.regex(/^[1-9]\d{0,15}$/)) }),
  data: z.object({ S: z.string() }),
});

/** A client of Amazon DynamoDB: one a process, its region, credentials and endpoint from the SDK's own settings. */
export function dynamoDbClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 2,
    // Two attempts fit into the time of a request; the SDK by itself would wait for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  });
}

/** Reads items of a DynamoDB table, each with one consistent `GetItem`. */
export function dynamoDbReader(table: string, client: DynamoDBClient): ItemReader {
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
        throw new Problem('unavailable', { detail: 'The store cannot be used now.', retryAfterSeconds: 5 }, { cause });
      }
    },
  };
}

function itemOf({ partition, sort, version, data }: z.infer<typeof StoredItem>): Item {
  return { partition: partition.S, sort: sort.S, version: Number(version.N), data: JSON.parse(data.S) };
}
