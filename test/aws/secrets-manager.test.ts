import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, ResourceNotFoundException } from '@aws-sdk/client-secrets-manager';
import { afterAll, expect, it } from 'vitest';
import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { dropSigningKeys, type RotationEvent, rotateSigningKeys } from '../../lib/credentials/signing-key-rotation.ts';
import { parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { readUpstreamCredentials } from '../../lib/upstream/accounts.ts';
import { problemOf } from '../lib/support.ts';

const client = secretsManagerClient();
afterAll(() => client.destroy());

const account = { companyId: 'acme', apiKey: 'first' };

async function createSecret(value: unknown) {
  const name = `segue/${randomUUID()}`;
  const { ARN = '' } = await client.send(new CreateSecretCommand({ Name: name, SecretString: JSON.stringify(value) }));
  return { name, arn: ARN };
}

function cached(secretId: string) {
  const read = secretsManagerReader({ now: Date.now });
  return cachedSecret(() => read(secretId), readUpstreamCredentials, { now: Date.now });
}

it('reads a secret by its name and by its ARN', async () => {
  const { name, arn } = await createSecret(account);
  expect(await cached(name).read()).toEqual(account);
  expect(await cached(arn).read()).toEqual(account);
});

it('promotes the rotated version in the last step, and each step may run twice', async () => {
  const first = { id: 'first', secret: 'x'.repeat(32) };
  const { name } = await createSecret(first);
  const store = secretsManagerStore({ client });
  const added = { id: 'second', secret: 'y'.repeat(32) };
  const rotate = async (...steps: RotationEvent['Step'][]) => {
    for (const Step of steps.flatMap((step) => [step, step])) {
      await rotateSigningKeys({ Step, SecretId: name, ClientRequestToken: version }, store, () => added, 0);
    }
  };
  const version = randomUUID();
  // AWS tests a rotation with an empty version at deployment.
  await rotate('testSecret');
  await rotate('createSecret', 'setSecret', 'testSecret');
  expect(JSON.parse(await store.read(name))).toEqual(first);
  await rotate('finishSecret');
  expect(JSON.parse(await store.read(name))).toMatchObject({ keys: [added, first] });
  await rotate('createSecret', 'setSecret', 'testSecret', 'finishSecret');
  expect(JSON.parse(await store.read(name)).keys).toHaveLength(2);
});

it('drops all signing keys, also during a rotation, which then cannot bring them back', async () => {
  const first = { id: 'first', secret: 'x'.repeat(32) };
  const { name } = await createSecret(first);
  const store = secretsManagerStore({ client });
  const newKey = { id: 'after the leak', secret: 'z'.repeat(32) };
  const rotate = (Step: RotationEvent['Step'], version: string, id: string) =>
    rotateSigningKeys({ Step, SecretId: name, ClientRequestToken: version }, store, () => ({ ...newKey, id }), 0);
  const [before, after] = [randomUUID(), randomUUID()];
  await rotate('createSecret', before, 'second');
  const dropped = { store, newKey, versionId: randomUUID(), now: () => 0, sleep: async () => {} };
  expect(await dropSigningKeys(name, dropped)).toBe(true);
  await expect(rotate('finishSecret', before, 'second')).rejects.toThrow('dropped');
  const idsNow = async () => parseSigningKeys(JSON.parse(await store.read(name))).map(({ id }) => id);
  expect(await idsNow()).toEqual([newKey.id]);
  for (const step of ['createSecret', 'testSecret', 'finishSecret'] as const) await rotate(step, after, 'third');
  expect(await idsNow()).toEqual(['third', newKey.id]);
});

it('reports a missing secret as unavailable until it exists', async () => {
  const name = `segue/${randomUUID()}`;
  const secret = cached(name);
  const cause = { code: ResourceNotFoundException.name };
  expect(await problemOf(secret.read())).toMatchObject({ name: 'unavailable', cause });
  await client.send(new CreateSecretCommand({ Name: name, SecretString: JSON.stringify(account) }));
  expect(await secret.read()).toEqual(account);
});
