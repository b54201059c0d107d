import assert from 'node:assert/strict';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { secretsManagerClient } from '../../../lib/aws/secrets-manager-store.ts';
import { Load } from './load.ts';
import { openSigning } from './signing.ts';
import { startUpstream } from './upstream.ts';

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
 * @returns the figures, in words
 */
export async function checkRotation(atLeastSeconds: number, aws: Readonly<Record<string, string>>): Promise<string> {
  const seconds = Math.max(FEWEST_SECONDS, atLeastSeconds);
  const client = secretsManagerClient();
  try {
    const reports = await Promise.all([rotateUpstream(seconds, client, aws), rotateSigning(seconds, client)]);
    return reports.join('\n');
  } finally {
    client.destroy();
  }
}

async function rotateUpstream(
  seconds: number,
  client: SecretsManagerClient,
  aws: Readonly<Record<string, string>>,
): Promise<string> {
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
    return [
      `in front of another service: ${seconds} rotations of the account, ${ROTATIONS_OF_FILE} of the signing keys`,
      `  the service refused ${refusals} requests, and no caller was`,
      ...report(load),
    ].join('\n');
  } finally {
    await upstream.stop();
  }
}

async function rotateSigning(seconds: number, client: SecretsManagerClient): Promise<string> {
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
    return [`signing keys in Secrets Manager: ${seconds} rotations`, ...report(load)].join('\n');
  } finally {
    await signing.stop();
  }
}

function report({ counts, sessions }: Load): string[] {
  const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`).sort();
  return [`  answers as they had to be: ${kinds.join(', ')}`, `  keys that signed tokens: ${sessions.signedBy.size}`];
}
