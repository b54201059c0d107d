import { randomUUID } from 'node:crypto';
import { APIGatewayClient, CreateUsagePlanCommand, GetUsagePlanKeysCommand } from '@aws-sdk/client-api-gateway';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readSettings } from '../../../infra/context.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { dynamoDbClient } from '../../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { createStack, segueOn } from '../cli.ts';
import { createTable } from '../table.ts';

const apiGateway = new APIGatewayClient();
const stack = `Segue-${randomUUID()}`;
const tableName = (kind: string) => `segue-${kind}-${randomUUID()}`;
const used = { table: tableName('table'), credentials: tableName('credentials') };
const restored = { table: tableName('restored'), credentials: tableName('restored-credentials') };
const deliveries = tableName('deliveries');
const BOTH = ['--table', restored.table, '--credentials-table', restored.credentials];
let plan: string | undefined;

const segue = (...args: string[]) => segueOn(stack, 'restore', ...args);

beforeAll(async () => {
  // This emulator of DynamoDB knows every setting of a table.
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', process.env['AWS_ENDPOINT_URL']);
  for (const { table, credentials } of [used, restored]) await Promise.all([table, credentials].map(createTable));
  await createTable(deliveries);
  const BucketName = `segue-${randomUUID()}`;
  const region = { LocationConstraint: 'eu-central-1' } as const;
  await s3Client().send(new CreateBucketCommand({ Bucket: BucketName, CreateBucketConfiguration: region }));
  plan = (await apiGateway.send(new CreateUsagePlanCommand({ name: stack }))).id;
  const tables = { TableName: used.table, CredentialsTableName: used.credentials, DeliveriesTableName: used.table };
  const outputs = { ...tables, BucketName, UsagePlanId: plan, ApiId: 'api' };
  await createStack(stack, outputs);
  const companies = companiesIn(dynamoDbItems(restored.credentials, dynamoDbClient({ now: Date.now })), Date.now);
  await companies.add('acme', createApiKey());
});
afterAll(() => {
  apiGateway.destroy();
  vi.unstubAllEnvs();
});

it('says in a dry run what it would do', async () => {
  const { code, out, err } = await segue(...BOTH, '--dry-run');
  expect({ code, err }).toEqual({ code: 0, err: 'This was a dry run: nothing was changed.\n' });
  expect(out.split('\n')).toEqual([
    restored.table,
    'to do  stream',
    'to do  time to live',
    'to do  point-in-time recovery',
    'to do  deletion protection',
    restored.credentials,
    'to do  time to live',
    'to do  point-in-time recovery',
    'to do  deletion protection',
    'added to the usage plan  acme',
    `"existingCredentialsTable": "${restored.credentials}"`,
    '',
  ]);
});

it('prepares all tables, and prints settings that a stack accepts', async () => {
  const { code, out } = await segue(...BOTH, '--deliveries-table', deliveries);
  expect(code).toBe(0);
  expect(out.match(/^done {2}/gm)).toHaveLength(10);
  const settings = JSON.parse(
    `{${out
      .split('\n')
      .filter((line) => line.startsWith('"'))
      .join()}}`,
  );
  expect(readSettings({ service: 'hosted', ...settings })).toMatchObject({
    existingTable: { tableName: restored.table },
    existingCredentialsTable: restored.credentials,
    existingDeliveriesTable: { tableName: deliveries },
  });
  const { items = [] } = await apiGateway.send(new GetUsagePlanKeysCommand({ usagePlanId: plan }));
  expect(items.map(({ name }) => name)).toEqual(['segue/api/acme']);
});

it('has nothing left to do, and prints the result as JSON', async () => {
  const { code, out } = await segue(...BOTH, '--json');
  expect(code).toBe(0);
  const tables = {
    table: { name: restored.table, added: [] },
    credentialsTable: { name: restored.credentials, added: [] },
  };
  expect(JSON.parse(out)).toMatchObject({ tables, addedToUsagePlan: [] });
});

it('leaves the settings of the tables that the stack uses to the stack', async () => {
  const { code, out } = await segue('--json');
  expect(code).toBe(0);
  expect(JSON.parse(out).tables).toEqual({});
});

it('refuses tables that do not exist', async () => {
  const { code, err } = await segue('--table', 'segue-nowhere');
  expect({ code, err }).toEqual({
    code: 1,
    err: 'segue: the table segue-nowhere does not exist in this region: check its name, and AWS_REGION\n',
  });
});
