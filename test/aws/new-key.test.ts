import { randomUUID } from 'node:crypto';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keysInTable } from '../../lib/credentials/keys.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { apiKeyIn, type PutItem, printNewKey, putItemIn } from '../support/new-key.ts';
import { createTable } from './table.ts';

const client = dynamoDbClient();
const table = `segue-${randomUUID()}`;

beforeAll(() => createTable(table));
afterAll(() => client.destroy());

/** What the AWS CLI sends for the command. */
const put = (command: PutItem) =>
  client.send(
    new PutItemCommand({
      TableName: command['--table-name'],
      Item: command['--item'],
      ConditionExpression: command['--condition-expression'],
      ExpressionAttributeNames: command['--expression-attribute-names'],
    }),
  );

test('the printed command makes the key good, once', async () => {
  const printed = await printNewKey('acme', '--scopes', 'create,read');
  const apiKey = apiKeyIn(printed);
  const keys = keysInTable(dynamoDbItems(table, client));
  expect(await keys.byApiKey('acme', apiKey)).toBeUndefined();

  const command = await putItemIn(printed, table);
  await put(command);
  expect(await keys.byApiKey('acme', apiKey)).toMatchObject({ companyId: 'acme', scopes: ['create', 'read'] });
  await expect(put(command)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
});
