import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  APIGatewayClient,
  CreateUsagePlanCommand,
  CreateUsagePlanKeyCommand,
  GetUsagePlanKeysCommand,
  GetUsagePlansCommand,
} from '@aws-sdk/client-api-gateway';
import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { hostedOn } from '../../functions/compose/services.ts';
import { checkProject } from '../../lib/contract/check-project.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { usagePlanKeyValue } from '../../lib/credentials/usage-plan-key.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { USE } from '../lib/credentials/world.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { callContext } from '../lib/support.ts';
import { DeliveryWorld, putSource } from '../lib/webhooks/world.ts';
import { smallProject } from '../support/projects.ts';
import { createStack, segueOn } from './cli.ts';
import { createStore } from './store.ts';

const client = dynamoDbClient({ now: Date.now });
const apiGateway = new APIGatewayClient();
let table: string;
let plan: string | undefined;

beforeAll(async () => {
  ({ table } = await createStore());
  plan = (
    await apiGateway.send(
      new CreateUsagePlanCommand({
        name: 'segue',
        throttle: { rateLimit: 50, burstLimit: 100 },
        apiStages: [{ apiId: 'api', stage: 'prod' }],
      }),
    )
  ).id;
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

it('gives the key of a company to the canary, and prints it nowhere', async () => {
  expect(await segue('company', 'add', 'watch', '--canary')).toMatchObject({
    code: 1,
    err: 'segue: the stack has no canary: deploy it with -c canary=reads or -c canary=create\n',
  });
  const secrets = new SecretsManagerClient();
  const unset = JSON.stringify({ companyId: 'fill-in', apiKey: 'generated' });
  const { ARN: CanarySecretArn } = await secrets.send(new CreateSecretCommand({ Name: 'canary', SecretString: unset }));
  await createStack('Watched', {
    TableName: table,
    CredentialsTableName: table,
    UsagePlanId: plan,
    ApiId: 'api',
    CanarySecretArn,
  });
  const keys = storedKeys(dynamoDbItems(table, client));
  for (const args of [
    ['add', 'watch'],
    ['rotate', 'watch', '--json'],
  ]) {
    const { code, out, err } = await segueOn('Watched', 'company', ...args, '--canary');
    const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId: CanarySecretArn }));
    const { companyId, apiKey } = JSON.parse(SecretString);
    expect({ code, err, companyId }).toEqual({ code: 0, err: '', companyId: 'watch' });
    const { keyId, scopes } = await keys.verifyApiKey('watch', apiKey, USE);
    expect(scopes).toEqual(['create', 'read', 'update', 'delete']);
    expect(out).toContain(keyId);
    expect(out).not.toContain(apiKey);
  }
  secrets.destroy();
});

it('adds a company to the usage plan once', async () => {
  const { keyId } = JSON.parse((await segue('company', 'add', 'beta', '--json')).out);
  await segue('company', 'revoke', keyId);
  expect(await segue('company', 'add', 'beta')).toMatchObject({ code: 0, err: '' });
  const { items = [] } = await apiGateway.send(new GetUsagePlanKeysCommand({ usagePlanId: plan }));
  expect(items.filter(({ value }) => value === usagePlanKeyValue({ apiId: 'api', companyId: 'beta' }))).toHaveLength(1);
});

describe('the plan of a company', () => {
  const ownName = (companyId: string) => `segue/api/${companyId}`;
  /** Returns the plans that have the key of a company, by their names. */
  async function plansOf(companyId: string) {
    const { items = [] } = await apiGateway.send(new GetUsagePlansCommand({ limit: 500 }));
    const found = [];
    for (const { id, name, throttle, apiStages } of items) {
      const { items: keys = [] } = await apiGateway.send(new GetUsagePlanKeysCommand({ usagePlanId: id }));
      if (keys.some(({ value }) => value === usagePlanKeyValue({ apiId: 'api', companyId })))
        found.push({ name, throttle, apiStages });
    }
    return found;
  }
  const planNames = async () =>
    ((await apiGateway.send(new GetUsagePlansCommand({ limit: 500 }))).items ?? []).map(({ name }) => name);

  afterEach(() => vi.restoreAllMocks());

  it('is that of all companies, until it gets one of its own, above or below', async () => {
    await segue('company', 'add', 'planned');
    const standard = '50 requests a second, 100 at once: the plan of all companies.\n';
    expect(await segue('company', 'plan', 'planned')).toEqual({ code: 0, out: standard, err: '' });
    const slow = await segue('company', 'plan', 'planned', '--rate', '10', '--burst', '15');
    expect(slow).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^10 requests a second, 15 at once: a plan of its own\.\nAPI Gateway .*401/),
    });
    const stages = [{ apiId: 'api', stage: 'prod' }];
    const named = { name: ownName('planned'), apiStages: stages };
    expect(await plansOf('planned')).toEqual([{ ...named, throttle: { rateLimit: 10, burstLimit: 15 } }]);
    const fast = await segue('company', 'plan', 'planned', '--rate', '200', '--json');
    expect(JSON.parse(fast.out)).toEqual({ companyId: 'planned', plan: 'own', perSecond: 200, burst: 400 });
    expect(await plansOf('planned')).toEqual([{ ...named, throttle: { rateLimit: 200, burstLimit: 400 } }]);
    expect((await segue('company', 'plan', 'planned')).out).toBe(
      '200 requests a second, 400 at once: a plan of its own.\n',
    );
    expect((await segue('company', 'plan', 'planned', '--default')).out).toMatch(
      /^50 requests a second, 100 at once: the plan of all companies\.\nAPI Gateway .*401/,
    );
    expect(await plansOf('planned')).toMatchObject([{ name: 'segue' }]);
    expect(await planNames()).not.toContain(ownName('planned'));
    expect((await segue('company', 'plan', 'planned', '--default')).out).toBe(standard);
  });

  it('stays when the company is suspended, resumed, or gets its first key again', async () => {
    const { keyId } = JSON.parse((await segue('company', 'add', 'kept', '--json')).out);
    await segue('company', 'plan', 'kept', '--rate', '5');
    await segue('company', 'suspend', 'kept');
    await segue('company', 'resume', 'kept');
    await segue('company', 'revoke', keyId);
    expect(await segue('company', 'add', 'kept')).toMatchObject({ code: 0, err: '' });
    expect(await plansOf('kept')).toMatchObject([
      { name: ownName('kept'), throttle: { rateLimit: 5, burstLimit: 10 } },
    ]);
  });

  it('is completed by the same command, if an earlier one was interrupted', async () => {
    await segue('company', 'add', 'cut');
    const send = APIGatewayClient.prototype.send;
    vi.spyOn(APIGatewayClient.prototype, 'send').mockImplementation(async function (this: APIGatewayClient, command) {
      if (command instanceof CreateUsagePlanKeyCommand) throw new Error('planted');
      return Reflect.apply(send, this, [command]);
    });
    expect(await segue('company', 'plan', 'cut', '--rate', '5')).toMatchObject({ code: 1 });
    vi.restoreAllMocks();
    expect(await plansOf('cut')).toEqual([]);
    expect(await segue('company', 'plan', 'cut')).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('the company has no plan, so its requests are refused'),
    });
    expect(await segue('company', 'plan', 'cut', '--rate', '5')).toMatchObject({ code: 0 });
    expect((await planNames()).filter((name) => name === ownName('cut'))).toHaveLength(1);
    expect(await plansOf('cut')).toMatchObject([{ name: ownName('cut') }]);
  });

  it('is the earlier one again, if the key cannot join the new one', async () => {
    await segue('company', 'add', 'back');
    const send = APIGatewayClient.prototype.send;
    let hasFailed = false;
    vi.spyOn(APIGatewayClient.prototype, 'send').mockImplementation(async function (this: APIGatewayClient, command) {
      if (command instanceof CreateUsagePlanKeyCommand && !hasFailed) {
        hasFailed = true;
        throw new Error('planted');
      }
      return Reflect.apply(send, this, [command]);
    });
    expect(await segue('company', 'plan', 'back', '--rate', '5')).toMatchObject({ code: 1 });
    expect(hasFailed).toBe(true);
    expect(await plansOf('back')).toMatchObject([{ name: 'segue' }]);
  });

  it('needs a company that exists', async () => {
    expect(await segue('company', 'plan', 'nobody', '--rate', '5')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('no company has this id'),
    });
    expect(await planNames()).not.toContain(ownName('nobody'));
  });
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

describe('the plan of a put', () => {
  const CREATES =
    'Now, the put creates the project: segments 0 kept, 0 changed, 1 added, 0 removed; target languages 0 kept, 1 added, 0 removed\n';

  /** Creates a stack whose source has a dead letter with a put. */
  async function stackWithLetter(name: string, outputs: Readonly<Record<string, string | undefined>>) {
    const aws = await createStore();
    await createStack(name, {
      TableName: aws.table,
      CredentialsTableName: aws.table,
      DeliveriesTableName: aws.table,
      UsagePlanId: plan,
      ApiId: 'api',
      WebhookSecretsPrefix: `segue/${name}/webhooks/`,
      ...outputs,
      ...('BucketName' in outputs && { BucketName: aws.bucket }),
    });
    const store = dynamoDbItems(aws.table, client);
    await putSource(store, { name: 'cms', companyId: 'acme', mapping: 'body' });
    const world = new DeliveryWorld(store);
    world.nowMs = Date.now();
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'body' });
    const command = { put: smallProject({ customId: 'page', segments: [{ content: 'One' }] }) };
    await world.inbox.accept(world.message(command, { id: 'late' }));
    const put = () => Promise.reject(new Problem('upstream-refused', { detail: 'No.' }));
    expect(await world.run({ service: { ...world.hosted(), put } })).toMatchObject({ dead: 1 });
    const folder = temporaryFolder();
    const sample = join(folder, 'message.json');
    writeFileSync(sample, JSON.stringify(command));
    const shown = async () => {
      const tested = await segueOn(name, 'source', 'test', 'cms', '--sample', sample);
      const dry = await segueOn(name, 'dead-letters', 'redrive', 'cms', 'late', '--dry-run');
      expect([tested, dry]).toMatchObject([{ code: 0 }, { code: 0 }]);
      expect(dry.out).toBe(`Would run 1 put: cms late\n${tested.err}`);
      return tested.err;
    };
    return { aws, command, shown };
  }

  it('is shown for a stack of the hosted service, also if the project is in the bucket', async () => {
    const { aws, command, shown } = await stackWithLetter('Hosted', { BucketName: '' });
    expect(await shown()).toBe(CREATES);
    const storage = dynamoDbStorage({
      ...aws,
      client,
      objects: objectsIn(aws.bucket, s3Client()),
      now: Date.now,
      newId: randomUUID,
    });
    const service = hostedOn({ storage, newEventId: randomUUID }, {});
    const segments = [{ content: 'One' }, { content: randomBytes(400_000).toString('base64') }];
    const startDateUtc = new Date().toISOString();
    const project = { ...command.put, startDateUtc, segments };
    await service.create(checkProject(project, { nowMs: Date.now(), toleranceMs: 60_000 }), callContext('acme'));
    expect(await shown()).toBe(
      'Now, the put updates the project: segments 1 kept, 0 changed, 0 added, 1 removed; target languages 1 kept, 0 added, 0 removed\n',
    );
  });

  it('is shown for a stack in front of an upstream service', async () => {
    const secrets = new SecretsManagerClient();
    const SecretString = JSON.stringify({ companyId: 'acme', apiKey: 'a-key' });
    const { ARN } = await secrets.send(new CreateSecretCommand({ Name: 'upstream', SecretString }));
    secrets.destroy();
    const UpstreamUrl = 'https://service.example.com';
    const { shown } = await stackWithLetter('Upstream', { UpstreamUrl, UpstreamMark: '', UpstreamSecretArn: ARN });
    expect(await shown()).toBe(CREATES);
  });
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
