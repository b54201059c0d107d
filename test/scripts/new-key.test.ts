import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { keysInTable } from '../../lib/credentials/keys.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { apiKeyIn, type PutItem, printNewKey, putItemIn } from '../support/new-key.ts';

const GetItem = z.object({ TableName: z.string(), Key: z.record(z.string(), z.object({ S: z.string() })) });

/** A table that holds the item of one command, behind what DynamoDB speaks. */
async function tableWith({ '--table-name': table, '--item': item }: PutItem) {
  const server = createServer(async (request, response) => {
    const { TableName, Key } = GetItem.parse(await json(request));
    const isKey = Object.entries(Key).every(([name, value]) => JSON.stringify(value) === JSON.stringify(item[name]));
    response.setHeader('Content-Type', 'application/x-amz-json-1.0');
    response.end(JSON.stringify(TableName === table && isKey ? { Item: item } : {}));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    region: 'local',
    credentials: { accessKeyId: 'unused', secretAccessKey: 'unused' },
  });
  onTestFinished(() => client.destroy());
  return dynamoDbItems(table, client);
}

test.each([
  [[], ['create', 'read', 'delete']],
  [['--scopes', 'read'], ['read']],
])('with %j it prints a command that makes the key authenticate, with the scopes %j', async (args, scopes) => {
  const printed = await printNewKey('acme', ...args);
  const apiKey = apiKeyIn(printed);
  const put = await putItemIn(printed, 'keys of a stack');
  expect(put).toMatchObject({
    '--table-name': 'keys of a stack',
    '--item': { version: { N: '1' } },
    '--condition-expression': 'attribute_not_exists(#partition)',
    '--expression-attribute-names': { '#partition': 'partition' },
  });
  const keys = keysInTable(await tableWith(put));
  const principal = { companyId: 'acme', keyId: apiKey.split('_')[1], scopes };
  expect(await keys.byApiKey('acme', apiKey)).toEqual(principal);
  expect(await keys.byApiKey('other', apiKey)).toBeUndefined();
});

test('it shows the key once, and another one each time', async () => {
  const printed = await printNewKey('acme');
  const apiKey = apiKeyIn(printed);
  const [, , secret = ''] = apiKey.split('_');
  expect(printed.split(secret)).toHaveLength(2);
  expect(await printNewKey('acme')).not.toContain(apiKey);
});

test.each([
  ['no company id', []],
  ['a company id with a slash', ['a/b']],
  ['two company ids', ['acme', 'other']],
  ['an unknown flag', ['acme', '--scope', 'read']],
  ['an unknown scope', ['acme', '--scopes', 'read,write']],
  ['no scope', ['acme', '--scopes', '']],
])('%s is told in one line, with exit code 1', (_, args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/new-key.ts', ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^usage: npm run new-key -- <company id> .*\n$/);
});
