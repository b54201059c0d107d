import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { liveSecretsIn } from '../../lib/credentials/live-secrets.ts';
import { receiveWebhook } from '../../lib/operations/receive-webhook.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { inboxOn } from '../../lib/webhooks/inbox.ts';
import { sourcesIn } from '../../lib/webhooks/sources.ts';
import { contextOf, eventOf, readAnswer } from '../lib/http/fixture.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { senderOf } from '../support/senders.ts';
import { createStack, segueOn } from './cli.ts';
import { createStore } from './store.ts';

const PREFIX = 'segue/Hooks/webhooks/';
const client = dynamoDbClient({ now: Date.now });
const secrets = secretsManagerClient();
const sender = senderOf('standard-webhooks, v1');
const { table } = await createStore();

beforeAll(() =>
  createStack('Hooks', {
    TableName: table,
    CredentialsTableName: table,
    UsagePlanId: 'plan',
    WebhookSecretsPrefix: PREFIX,
    ApiUrl: 'https://api.example.com/v1',
  }),
);
afterAll(() => secrets.destroy());

/**
 * Runs a command, which must succeed.
 * @returns its output
 */
async function segue(...args: string[]): Promise<string> {
  const { code, out, err } = await segueOn('Hooks', ...args);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return out + err;
}

const secretIn = (text: string) => /^Secret: (\S+)$/m.exec(text)?.[1] ?? '';

/** Returns the names of all secrets. */
async function secretNames(): Promise<string[]> {
  const { SecretList = [] } = await secrets.send(
    new ListSecretsCommand({ Filters: [{ Key: 'name', Values: [PREFIX] }] }),
  );
  return SecretList.map(({ Name = '' }) => Name);
}

it('adds, rotates and removes a source, with one secret for each set of secrets', async () => {
  const folder = temporaryFolder();
  const [mapping, sample] = [join(folder, 'mapping'), join(folder, 'sample')];
  writeFileSync(mapping, 'null');
  writeFileSync(sample, '{}');
  const store = dynamoDbItems(table, client);
  await companiesIn(store, Date.now).add('acme', createApiKey());
  const files = ['--company', 'acme', '--scheme', 'standard-webhooks', '--mapping', mapping, '--sample', sample];
  const added = await segue('source', 'add', 'cms', ...files);
  expect(added).toContain('The sender must send its messages to https://api.example.com/v1/webhooks/cms\n');
  const live = [secretIn(added)];

  const secretsOf = liveSecretsIn(secretsManagerStore({ client: secrets, prefix: PREFIX }), Date.now);
  const handler = receiveWebhook(
    {
      sources: sourcesIn(store),
      secretsOf,
      requireCompany: requireActiveCompany(() => store),
      inbox: inboxOn(store, { now: Date.now }),
    },
    { now: Date.now, log: () => {} },
  );
  const statuses = () =>
    Promise.all(
      live.map(async (secret) => {
        const message = { body: '{}', atMs: Date.now(), id: `msg_${Math.random().toString(36).slice(2)}` };
        const headers = sender.sign(message, secret);
        const event = eventOf('receiveWebhook', { segment: 'cms', authorizer: null, body: message.body, headers });
        return readAnswer(await handler(event, contextOf())).status;
      }),
    );
  expect(await statuses()).toEqual([202]);
  live.push(secretIn(await segue('source', 'rotate', 'cms')));
  expect(await statuses()).toEqual([202, 202]);
  await segue('source', 'rotate', 'cms', '--drop-old');
  expect(await statuses()).toEqual([401, 202]);
  expect(await secretNames()).toEqual([expect.stringMatching(/^segue\/Hooks\/webhooks\/cms-[0-9a-f]{12}$/)]);
  expect(await segue('source', 'list')).toMatch(/^cms +acme +create,update,delete +standard-webhooks +1 +20\d\d-/m);
  await segue('source', 'remove', 'cms');
  expect([await statuses(), await secretNames()]).toEqual([[404, 404], []]);
});

it('creates and deletes a secret twice like once', async () => {
  const store = secretsManagerStore({ client: secrets, prefix: PREFIX });
  await store.create('name', '["x"]');
  await store.create('name', '["x"]');
  expect(await store.read('name')).toBe('["x"]');
  await store.delete('name');
  await store.delete('name');
  await expect(store.read('name')).rejects.toThrow();
});
