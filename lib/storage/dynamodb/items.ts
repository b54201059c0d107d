import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Commit, Item, ItemStore, Key } from '../port.ts';
import { changeOf } from './change.ts';
import { attributesOf, itemOf } from './item.ts';
import { reading } from './reading.ts';
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
  const stored = await readAttributes(table, client, key);
  return stored && itemOf(stored);
}

/** Reads what the table holds at a key, whatever it is. */
export async function readAttributes(table: string, client: DynamoDBClient, key: Key) {
  const input = { TableName: table, Key: attributesOf(key), ConsistentRead: true };
  const { Item: stored } = await reading(() => client.send(new GetItemCommand(input)));
  return stored;
}
