import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, PutSecretValueCommand, ResourceNotFoundException } from '@aws-sdk/client-secrets-manager';
import { afterAll, expect, test } from 'vitest';
import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { type RotationEvent, rotateSigningKeys } from '../../lib/credentials/signing-key-rotation.ts';
import { readUpstreamCredentials } from '../../lib/upstream/authorization.ts';
import { problemOf } from '../lib/upstream/world.ts';

const client = secretsManagerClient();
afterAll(() => client.destroy());

const account = { companyId: 'acme', apiKey: 'first' };

async function createSecret(value: { SecretString: string } | { SecretBinary: Uint8Array }) {
  const name = `segue/${randomUUID()}`;
  const { ARN = '' } = await client.send(new CreateSecretCommand({ Name: name, ...value }));
  return { name, arn: ARN };
}

function cached(secretId: string) {
  const read = secretsManagerReader({ now: Date.now });
  return cachedSecret(() => read(secretId), readUpstreamCredentials, { now: Date.now });
}

test('a secret is read by its name and by its ARN', async () => {
  const { name, arn } = await createSecret({ SecretString: JSON.stringify(account) });
  expect(await cached(name).read()).toEqual(account);
  expect(await cached(arn).read()).toEqual(account);
});

test('a rotated secret is seen once the old value is forgotten', async () => {
  const { name } = await createSecret({ SecretString: JSON.stringify(account) });
  const secret = cached(name);
  const first = await secret.read();
  const rotated = { ...account, apiKey: 'second' };
  await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: JSON.stringify(rotated) }));
  expect(await secret.read()).toEqual(account);
  secret.forget(first);
  expect(await secret.read()).toEqual(rotated);
});

test('what a rotation prepares is the current version once it is finished, and each of its steps may come twice', async () => {
  const first = { id: 'first', secret: 'x'.repeat(32) };
  const { name } = await createSecret({ SecretString: JSON.stringify(first) });
  const store = secretsManagerStore({ client });
  const added = { id: 'second', secret: 'y'.repeat(32) };
  const rotate = async (...steps: RotationEvent['Step'][]) => {
    for (const Step of steps.flatMap((step) => [step, step])) {
      await rotateSigningKeys({ Step, SecretId: name, ClientRequestToken: version }, store, () => added, 0);
    }
  };
  const version = randomUUID();
  // As a deployment asks for it, of a version that holds nothing.
  await rotate('testSecret');
  await rotate('createSecret', 'setSecret', 'testSecret');
  expect(JSON.parse(await store.read(name))).toEqual(first);
  await rotate('finishSecret');
  expect(JSON.parse(await store.read(name))).toMatchObject({ keys: [added, first] });
  await rotate('createSecret', 'setSecret', 'testSecret', 'finishSecret');
  expect(JSON.parse(await store.read(name)).keys).toHaveLength(2);
});

test('a missing secret is unavailable, until it is there', async () => {
  const name = `segue/${randomUUID()}`;
  const secret = cached(name);
  const cause = { code: ResourceNotFoundException.name };
  expect(await problemOf(secret.read())).toMatchObject({ name: 'unavailable', cause });
  await client.send(new CreateSecretCommand({ Name: name, SecretString: JSON.stringify(account) }));
  expect(await secret.read()).toEqual(account);
});

test.each([
  ['JSON of another shape', { SecretString: '{"companyId":"acme"}' }],
  ['text that is no JSON', { SecretString: 'acme:key' }],
  ['bytes', { SecretBinary: Buffer.from(JSON.stringify(account)) }],
])('a secret that holds %s is unavailable', async (_, value) => {
  const { name } = await createSecret(value);
  expect((await problemOf(cached(name).read())).name).toBe('unavailable');
});
