import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDb, TransactionPart } from '../../../lib/storage/dynamodb/client.ts';
import { changeOf } from '../../../lib/storage/dynamodb/items.ts';

/**
 * A request at a limit of DynamoDB.
 * @returns the values to compare, besides an error
 */
type Edge = (at: At) => Promise<unknown>;

interface At {
  readonly client: DynamoDb;
  readonly sdk: DynamoDBClient;
  readonly table: string;
  readonly partition: string;
}

const keyAt = (partition: string, sort: string) => ({ partition: { S: partition }, sort: { S: sort } });
const put = (table: string, partition: string, sort: string, bytes = 1): TransactionPart => ({
  Put: { TableName: table, Item: { ...keyAt(partition, sort), b: { B: Buffer.alloc(bytes).toString('base64') } } },
});
/** The bytes of an item besides those of `b`: names and keys. The partition is a UUID. */
const OTHER_BYTES = 'partition'.length + 36 + 'sort'.length + 1 + 'b'.length;
const MAX_BYTES = 409_600 - OTHER_BYTES;

async function transact(client: DynamoDb, items: TransactionPart[], token: string = randomUUID()): Promise<string> {
  await client.call('TransactWriteItems', { TransactItems: items, ClientRequestToken: token });
  return 'done';
}

const puts = (count: number, bytes: number): Edge => {
  return ({ client, table, partition }) =>
    transact(
      client,
      Array.from({ length: count }, (_, n) => put(table, partition, String(n), bytes)),
    );
};

const update = (fields: {
  readonly set: string;
  readonly names: Record<string, string>;
  readonly value: string;
}): Edge => {
  return ({ client, table, partition }) => {
    const Update = {
      TableName: table,
      Key: keyAt(partition, 'a'),
      UpdateExpression: `SET ${fields.set}`,
      ExpressionAttributeNames: fields.names,
      ExpressionAttributeValues: { ':data': { S: fields.value } },
    };
    return transact(client, [{ Update }]);
  };
};

const FORWARD = { ScanIndexForward: true, ConsistentRead: true } as const;

const query = (condition: string, values: Readonly<Record<string, string>>): Edge => {
  return async ({ client, table, partition }) => {
    const { Items, LastEvaluatedKey } = await client.call('Query', {
      TableName: table,
      KeyConditionExpression: `#partition = :partition AND ${condition}`,
      ExpressionAttributeNames: { '#partition': 'partition', '#sort': 'sort' },
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries({ ':partition': partition, ...values }).map(([name, S]) => [name, { S }]),
      ),
      ...FORWARD,
    });
    return { found: Items?.length, more: LastEvaluatedKey !== undefined };
  };
};

/** Returns the number of items on each page of a partition with large items, and whether the page is the last. */
const pages =
  (count: number, Limit?: number): Edge =>
  async ({ client, table, partition }) => {
    for (let n = 0; n < count; n++) await transact(client, [put(table, partition, String(n), 300_000)]);
    const { Items, LastEvaluatedKey } = await client.call('Query', {
      TableName: table,
      KeyConditionExpression: '#partition = :partition',
      ExpressionAttributeNames: { '#partition': 'partition' },
      ExpressionAttributeValues: { ':partition': { S: partition } },
      ...(Limit !== undefined && { Limit }),
      ...FORWARD,
    });
    return { found: Items?.length, last: LastEvaluatedKey?.['sort'] };
  };

const get = (partition: string, sort: string): Edge => {
  return async ({ client, table }) =>
    (await client.call('GetItem', { TableName: table, Key: keyAt(partition, sort), ConsistentRead: true })).Item;
};

export const EDGES: Readonly<Record<string, Edge>> = {
  '100 operations': puts(100, 1),
  '101 operations': puts(101, 1),
  'no operation': puts(0, 1),
  '4 MB less a little': puts(20, 200_000),
  'more than 4 MB': puts(11, 400_000),
  'an item of 400 KB': puts(1, MAX_BYTES),
  'an item of 400 KB and a byte': puts(1, MAX_BYTES + 1),
  'a put of 400 KB and a byte': async ({ sdk, table, partition }) => {
    const Item = { ...keyAt(partition, 'a'), b: { B: Buffer.alloc(MAX_BYTES + 1) } };
    await sdk.send(new PutItemCommand({ TableName: table, Item }));
  },
  'an update that makes an item too large': update({
    set: '#data = :data',
    names: { '#data': 'data' },
    value: 'x'.repeat(409_600),
  }),
  'an update with a name too many': update({ set: '#data = :data', names: { '#data': 'data', '#x': 'x' }, value: 'x' }),
  'an update with a name too few': update({ set: '#data = :data', names: {}, value: 'x' }),
  'an update with a value too many': update({ set: '#data = #data', names: { '#data': 'data' }, value: 'x' }),
  'two operations on one item': ({ client, table, partition }) =>
    transact(client, [put(table, partition, 'a'), { Delete: { TableName: table, Key: keyAt(partition, 'a') } }]),
  'an empty sort key': ({ client, table, partition }) => transact(client, [put(table, partition, '')]),
  'an empty partition key': ({ client, table }) => transact(client, [put(table, '', 'a')]),
  'a sort key of 1,024 bytes': ({ client, table, partition }) =>
    transact(client, [put(table, partition, 'ä'.repeat(512))]),
  'a sort key of 1,025 bytes': ({ client, table, partition }) =>
    transact(client, [put(table, partition, `${'ä'.repeat(512)}a`)]),
  'a partition key of 2,049 bytes': ({ client, table }) => transact(client, [put(table, 'a'.repeat(2_049), 'a')]),
  'an item without a key': ({ client, table, partition }) =>
    transact(client, [{ Put: { TableName: table, Item: { partition: { S: partition } } } }]),
  'a read of an empty key': get('', 'a'),
  'a read of a key that is too long': get('p', 'a'.repeat(1_025)),
  'a table that is not there': async ({ client }) =>
    (await client.call('GetItem', { TableName: 'nowhere', Key: keyAt('p', 's'), ConsistentRead: true })).Item,
  'the same key twice in a read of many': async ({ client, table, partition }) => {
    const Keys = [keyAt(partition, 'a'), keyAt(partition, 'a')];
    return (await client.call('BatchGetItem', { RequestItems: { [table]: { Keys } } })).Responses;
  },
  'a range that ends before it begins': query('#sort BETWEEN :a AND :b', { ':a': 'b', ':b': 'a' }),
  'a range that ends in an empty key': query('#sort <= :a', { ':a': '' }),
  'an empty prefix': query('begins_with(#sort, :a)', { ':a': '' }),
  'a page of exactly as many as are asked for': pages(2, 2),
  'a page of more than 1 MB': pages(5),
  'a transaction that is made again with its token': async ({ client, table, partition }) => {
    const insert = changeOf(table, { kind: 'insert', key: { partition, sort: 'a' }, data: {} });
    await transact(client, [insert], partition);
    return transact(client, [insert], partition);
  },
  'a transaction that was cancelled and is made again with its token': async ({ client, table, partition }) => {
    const key = { partition, sort: 'a' };
    const remove = changeOf(table, { kind: 'remove', key, version: 1 });
    const cancelled = await transact(client, [remove], partition).catch(({ message }: Error) => message);
    await transact(client, [changeOf(table, { kind: 'insert', key, data: {} })]);
    return [cancelled, await transact(client, [remove], partition)];
  },
  'another transaction with the same token': async ({ client, table, partition }) => {
    await transact(client, [put(table, partition, 'a')], partition);
    return transact(client, [put(table, partition, 'b')], partition);
  },
};
