import { beforeEach, describe, expect, it } from 'vitest';
import { secretsManagerStore } from '../../../lib/aws/secrets-manager-store.ts';
import { signingKeyRotator } from '../../../lib/background/signing-key-rotator.ts';
import { dropSigningKeys } from '../../../lib/credentials/signing-key-rotation.ts';
import { parseSigningKeys } from '../../../lib/credentials/signing-keys.ts';
import { SecretsManagerStandIn } from '../../support/aws/secrets-manager.ts';
import { keptLog } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';

const FIRST = JSON.stringify({ id: 'first', secret: 'x'.repeat(64) });
const ADDED = { id: 'added', secret: 'y'.repeat(64) };
const LINE = { operation: 'rotateSigningKeys', requestId: 'invocation-1', durationMs: 0 };
const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;

let secrets: SecretsManagerStandIn;
beforeEach(() => {
  secrets = new SecretsManagerStandIn(FIRST);
});

/**
 * Runs a step of a rotation.
 * @returns its error and its log line
 */
async function run(event: unknown) {
  const { lines, options } = keptLog();
  const store = secretsManagerStore({ client: secrets.newClient() });
  const rotation = signingKeyRotator({ store, newKey: () => ADDED, ...options });
  const error = await rotation(event, { awsRequestId: 'invocation-1' }).catch((thrown: unknown) => thrown);
  expect(lines).toHaveLength(1);
  return { error, line: lines[0] };
}

const step = (Step: string) => ({ Step, SecretId: secrets.secretId, ClientRequestToken: 'version' });
const done = { error: undefined, line: LINE };
const keysNow = () => parseSigningKeys(JSON.parse(secrets.current().text ?? 'null')).map(({ id }) => id);

describe('the rotation of the signing keys', () => {
  it('adds a key in the last step, and logs each step', async () => {
    secrets.begin('version');
    for (const name of STEPS) {
      expect(keysNow()).toEqual(['first']);
      expect(await run(step(name))).toEqual(done);
    }
    expect(keysNow()).toEqual(['added', 'first']);
  });

  it.each([
    ['holds nothing', undefined],
    ['is a copy of the current one', FIRST],
  ])('accepts the version of a deployment that %s', async (_, text) => {
    secrets.begin('version', text);
    expect(await run(step('testSecret'))).toEqual(done);
    expect(secrets.current()).toEqual({ version: 'made', text: FIRST });
  });

  it('refuses a version without signing keys, and logs no content', async () => {
    secrets.begin('version', '{"canary":1}');
    for (const name of ['testSecret', 'finishSecret']) {
      const { error, line } = await run(step(name));
      expect(error).toBeInstanceOf(Error);
      expect(line).toMatchObject({ ...LINE, problem: 'internal-error', cause: { name: '$ZodError' } });
      expect(JSON.stringify(line)).not.toContain('canary');
    }
    expect(keysNow()).toEqual(['first']);
  });

  it('never promotes an empty version', async () => {
    secrets.begin('version');
    expect((await run(step('finishSecret'))).error).toBeInstanceOf(Error);
    expect(keysNow()).toEqual(['first']);
  });

  it('never brings back a key that was dropped after the rotation had started', async () => {
    await run(step('createSecret'));
    const store = secretsManagerStore({ client: secrets.newClient() });
    const newKey = { id: 'after the leak', secret: 'z'.repeat(64) };
    const drop = { store, newKey, versionId: 'dropped', now: () => NOW_MS, sleep: async () => {} };
    expect(await dropSigningKeys(secrets.secretId, drop)).toBe(true);
    const { error, line } = await run(step('finishSecret'));
    expect(error).toBeInstanceOf(Error);
    expect(line).toMatchObject({ problem: 'internal-error', cause: { name: 'KeysDropped' } });
    expect(keysNow()).toEqual(['after the leak']);
  });

  it('is reported to a drop of the keys if it finished right after it', async () => {
    await run(step('createSecret'));
    const store = secretsManagerStore({ client: secrets.newClient() });
    const newKey = { id: 'after the leak', secret: 'z'.repeat(64) };
    const sleep = () => store.promoteVersion(secrets.secretId, 'version');
    const drop = { store, newKey, versionId: 'dropped', now: () => NOW_MS, sleep };
    expect(await dropSigningKeys(secrets.secretId, drop)).toBe(false);
  });

  it('refuses an unknown step', async () => {
    const { error, line } = await run({ Step: 'dropSecret' });
    expect(error).toBeInstanceOf(Error);
    expect(line).toMatchObject({ ...LINE, problem: 'internal-error' });
  });
});
