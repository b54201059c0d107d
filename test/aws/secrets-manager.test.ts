import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, ResourceNotFoundException } from '@aws-sdk/client-secrets-manager';
import { afterAll, expect, it } from 'vitest';
import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { type RotationEvent, rotateSigningKeys } from '../../lib/credentials/signing-key-rotation.ts';
import { readUpstreamCredentials } from '../../lib/upstream/accounts.ts';
import { problemOf } from '../lib/upstream/world.ts';

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

it('reports a missing secret as unavailable until it exists', async () => {
  const name = `segue/${randomUUID()}`;
  const secret = cached(name);
  const cause = { code: ResourceNotFoundException.name };
  expect(await problemOf(secret.read())).toMatchObject({ name: 'unavailable', cause });
  await client.send(new CreateSecretCommand({ Name: name, SecretString: JSON.stringify(account) }));
  expect(await secret.read()).toEqual(account);
});
