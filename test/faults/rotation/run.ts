import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { signingSecret } from '../../../functions/compose/aws-sdk.ts';
import { secretsManagerReader } from '../../../lib/aws/secrets-manager.ts';
import { secretsManagerClient } from '../../../lib/aws/secrets-manager-store.ts';
import { signingKeyRotation } from '../../../lib/background/signing-key-rotation.ts';
import { openDatabase } from '../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../lib/storage/sqlite/storage.ts';
import { authenticationHere, gatewayHere } from '../../support/gateway-here.ts';
import { addCompany } from '../../support/segue.ts';
import { Load, type Target } from './load.ts';
import { startUpstream } from './upstream.ts';

/** A gateway whose signing keys are in Secrets Manager, and what rotates them. */
interface Signing extends Target {
  /** All that Secrets Manager asks of a rotation. */
  rotate(): Promise<void>;
  stop(): Promise<void>;
}

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;

/**
 * Opens the hosted service in this process. No policy is kept: every request has its token verified.
 * @param now the clock of tokens and keys, in milliseconds since 1970
 */
async function openSigning(client: SecretsManagerClient, now: () => number): Promise<Signing> {
  const name = `segue/${randomUUID()}`;
  // As the stack makes it.
  const first = JSON.stringify({ id: 'first', secret: 'x'.repeat(64) });
  await client.send(new CreateSecretCommand({ Name: name, SecretString: first }));
  const rotation = signingKeyRotation({ ...signingSecret(), now, log: () => {} });
  const folder = await mkdtemp(join(tmpdir(), 'segue-'));
  const database = openDatabase(folder);
  const store = new SqliteStorage(database, now);
  const newAuthentication = () => {
    const read = secretsManagerReader({ now });
    return authenticationHere({ store, secret: () => read(name), now });
  };
  // What issues tokens and what verifies them are functions of their own, and each reads the keys when it does.
  const [issuing, authentication] = [newAuthentication(), newAuthentication()];
  const gateway = gatewayHere({ store, authentication, issuing, authorizerTtlMs: 0 });
  const port = await gateway.listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    key: await addCompany(folder, 'partner'),
    now,
    async rotate() {
      const version = randomUUID();
      for (const Step of STEPS) {
        await rotation({ Step, SecretId: name, ClientRequestToken: version }, { awsRequestId: version });
      }
    },
    async stop() {
      await gateway.close();
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What goes by with each second on the clock of signing keys in Secrets Manager: a third of a token's life. */
const STEP_MS = 600_000;
/** So long that keys that were added sign: they do so an hour after their rotation. */
const FEWEST_SECONDS = 8;
/** How often the signing keys of one machine are rotated, at first: they sign a minute later, and tokens live for longer. */
const ROTATIONS_OF_FILE = 2;

/**
 * Rotates secrets every second while requests come steadily, and requires each to come to what it would come to without:
 * the account of a service behind, whose old key is refused at once, and the signing keys of one machine and of Secrets
 * Manager.
 * @param aws the settings by which processes find Secrets Manager; this process's environment has them too
 */
export async function checkRotation(atLeastSeconds: number, aws: Readonly<Record<string, string>>): Promise<object> {
  const seconds = Math.max(FEWEST_SECONDS, atLeastSeconds);
  const client = secretsManagerClient();
  try {
    const [upstream, signing] = await Promise.all([
      rotateUpstream(seconds, client, aws),
      rotateSigning(seconds, client),
    ]);
    return { ...upstream, ...signing };
  } finally {
    client.destroy();
  }
}

async function rotateUpstream(
  seconds: number,
  client: SecretsManagerClient,
  aws: Readonly<Record<string, string>>,
): Promise<object> {
  const upstream = await startUpstream(client, aws);
  const load = new Load(upstream);
  try {
    await load.prepare();
    for (let second = 0; second < seconds; second++) {
      const rotations = [
        upstream.rotateAccount(),
        ...(second < ROTATIONS_OF_FILE ? [upstream.rotateSigningKeys()] : []),
      ];
      await Promise.all([load.runSecond(), ...rotations]);
      // A request is asked again once, so none is to live through two rotations.
      await load.runOnce();
    }
    assert.deepEqual(load.wrong, []);
    const refusals = upstream.refusals();
    assert(refusals > 0, 'The service was never asked with an old key');
    return {
      'rotations of the account': `${seconds}, after which the service refused ${refusals} requests, and no caller was refused`,
      'answers in front of another service': listOf(load),
    };
  } finally {
    await upstream.stop();
  }
}

async function rotateSigning(seconds: number, client: SecretsManagerClient): Promise<object> {
  let nowMs = Date.now();
  const signing = await openSigning(client, () => nowMs);
  const load = new Load(signing);
  try {
    await load.prepare();
    for (let second = 0; second < seconds; second++) {
      await Promise.all([load.runSecond(), signing.rotate()]);
      // While nobody is on the way, whose token would expire there.
      nowMs += STEP_MS;
    }
    assert.deepEqual(load.wrong, []);
    assert(load.sessions.signedBy.size > 1, 'No key that was added has signed');
    return { 'answers while the signing keys rotate': listOf(load), 'keys that signed': load.sessions.signedBy.size };
  } finally {
    await signing.stop();
  }
}

function listOf({ counts }: Load): string {
  const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`);
  return kinds.sort().join(', ');
}
