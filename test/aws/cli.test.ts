import { APIGatewayClient, CreateUsagePlanCommand, GetUsagePlanKeysCommand } from '@aws-sdk/client-api-gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { usagePlanKeyValue } from '../../lib/credentials/usage-plan-key.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { USE } from '../lib/credentials/world.ts';
import { DeliveryWorld } from '../lib/webhooks/world.ts';
import { createStack, segueOn } from './cli.ts';
import { createStore } from './store.ts';

const client = dynamoDbClient({ now: Date.now });
const apiGateway = new APIGatewayClient();
let table: string;
let plan: string | undefined;

beforeAll(async () => {
  ({ table } = await createStore());
  plan = (await apiGateway.send(new CreateUsagePlanCommand({ name: 'segue' }))).id;
  await createStack('Segue', {
    TableName: table,
    CredentialsTableName: table,
    DeliveriesTableName: table,
    UsagePlanId: plan,
    ApiId: 'api',
    WebhookSecretsPrefix: 'segue/Segue/webhooks/',
  });
});
afterAll(() => apiGateway.destroy());

const segue = (...args: string[]) => segueOn('Segue', ...args);
const apiKeyIn = (text: string) => /^API key: (\S+)$/m.exec(text)?.[1] ?? '';

it('adds, rotates and revokes the keys of a company', async () => {
  const keys = storedKeys(dynamoDbItems(table, client));
  const added = await segue('company', 'add', 'acme', '--scopes', 'create,read');
  expect(added).toMatchObject({ code: 0, err: '' });
  const first = await keys.verifyApiKey('acme', apiKeyIn(added.out), USE);
  expect(first?.scopes).toEqual(['create', 'read']);
  const second = await keys.verifyApiKey('acme', apiKeyIn((await segue('company', 'rotate', 'acme')).out), USE);
  expect(second?.keyId).not.toBe(first?.keyId);
  expect((await segue('company', 'revoke', first?.keyId ?? '')).out).toContain('1 active key');
  await expect(keys.verifyApiKey('acme', apiKeyIn(added.out), USE)).rejects.toMatchObject({ refusal: 'revoked' });
  const listed = (await segue('company', 'list', '--json')).out.trimEnd().split('\n');
  expect(listed.map((line) => JSON.parse(line))).toMatchObject([{ companyId: 'acme', keys: [{}, {}] }]);
});

it('adds a company to the usage plan once', async () => {
  const { keyId } = JSON.parse((await segue('company', 'add', 'beta', '--json')).out);
  await segue('company', 'revoke', keyId);
  expect(await segue('company', 'add', 'beta')).toMatchObject({ code: 0, err: '' });
  const { items = [] } = await apiGateway.send(new GetUsagePlanKeysCommand({ usagePlanId: plan }));
  expect(items.filter(({ value }) => value === usagePlanKeyValue({ apiId: 'api', companyId: 'beta' }))).toHaveLength(1);
});

it('lists, shows, redrives and drops dead letters', async () => {
  const world = new DeliveryWorld(dynamoDbItems(table, client));
  world.nowMs = Date.now();
  for (const id of ['one', 'two']) await world.inbox.accept(world.message({ create: { name: 'canary' } }, { id }));
  await world.run();
  expect((await segue('dead-letters', 'list')).out).toMatch(
    /^SOURCE .*\n(?:cms +\w+ +acme +\S+ +1 +invalid-project\n){2}$/,
  );
  expect((await segue('dead-letters', 'show', 'cms', 'one')).out).not.toContain('canary');
  expect((await segue('dead-letters', 'show', 'cms', 'one', '--payload')).out).toContain('canary');
  expect(await segue('dead-letters', 'redrive', 'cms', 'one')).toMatchObject({ code: 0, out: 'Open again: cms one\n' });
  expect(await segue('dead-letters', 'drop', '--all')).toMatchObject({ code: 0, out: 'Dropped: cms two\n' });
  expect(await world.letters.message({ source: 'cms', id: 'two' })).toBeUndefined();
  expect((await world.stateOf({ source: 'cms', id: 'one' })).kind).toBe('open');
});

it('reports a missing stack, or one of another app, in one line', async () => {
  expect(await segueOn('Nothing', 'company', 'list')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      /^segue: the region \S+ has no stack with this name: check --stack, AWS_REGION and AWS_PROFILE\n$/,
    ),
  });
  expect(await segue('signing-keys', 'rotate')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no output SigningSecretArn'),
  });
});
