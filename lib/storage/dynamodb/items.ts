import type { Commit, Item, ItemStore, Key } from '../port.ts';
import { changeOf } from './change.ts';
import type { DynamoDb } from './client.ts';
import { attributesOf, itemOf } from './item.ts';
import { reading } from './reading.ts';
import { transact } from './transaction.ts';

/** Items of a DynamoDB table: each read is one consistent `GetItem`, each commit one `TransactWriteItems`. */
export function dynamoDbItems(table: string, client: DynamoDb): ItemStore {
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
export async function readItem(table: string, client: DynamoDb, key: Key): Promise<Item | undefined> {
  const stored = await readAttributes(table, client, key);
  return stored && itemOf(stored);
}

/** Reads what the table holds at a key, whatever it is. */
export async function readAttributes(table: string, client: DynamoDb, key: Key) {
  const input = { TableName: table, Key: attributesOf(key), ConsistentRead: true };
  const { Item: stored } = await reading(() => client.call('GetItem', input));
  return stored;
}
