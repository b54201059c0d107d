import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Commit, Item, ItemStore, Key } from '../port.ts';
import { changeOf } from './change.ts';
import { failureOf } from './failures.ts';
import { attributesOf, itemOf } from './item.ts';
import { transact } from './transaction.ts';

/** Items of a DynamoDB table: each read is one consistent `GetItem`, each commit one `TransactWriteItems`. */
export function dynamoDbItems(table: string, client: DynamoDBClient): ItemStore {
  return {
    read: (key) => readItem(table, client, key),
    commit: ({ writes }): Promise<Commit> =>
      transact(
        client,
        writes.map((write) => changeOf(table, write)),
      ),
  };
}

/** Reads an item as the last commit left it. */
export async function readItem(table: string, client: DynamoDBClient, key: Key): Promise<Item | undefined> {
  try {
    const { Item: stored } = await client.send(
      new GetItemCommand({ TableName: table, Key: attributesOf(key), ConsistentRead: true }),
    );
    return stored && itemOf(stored);
  } catch (cause) {
    throw failureOf(cause, false);
  }
}
