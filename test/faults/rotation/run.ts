import assert from 'node:assert/strict';
import { secretsManagerClient } from '../../../lib/aws/secrets-manager-store.ts';
import { Load } from './load.ts';
import { startUpstream } from './upstream.ts';

/** The number of rotations of the signing keys. New keys sign a minute later, and tokens live for longer. */
const ROTATIONS_OF_SIGNING_KEYS = 2;

/**
 * Rotates the upstream account every second under a steady load, and the signing keys in the first seconds. The
 * upstream service refuses an old account at once.
 * @param aws the environment variables with which processes find Secrets Manager; this process must have them too
 * @throws if a request is refused
 */
export async function checkRotation(seconds: number, aws: Readonly<Record<string, string>>): Promise<object> {
  const client = secretsManagerClient();
  const upstream = await startUpstream(client, aws);
  const load = new Load(upstream.company);
  try {
    await load.prepare();
    for (let second = 0; second < seconds; second++) {
      const isForSigning = second < ROTATIONS_OF_SIGNING_KEYS;
      const rotations = [upstream.rotateAccount(), ...(isForSigning ? [upstream.rotateSigningKeys()] : [])];
      await Promise.all([load.runSecond(), ...rotations]);
      // Segue repeats a refused request only once, so a request must not run during two rotations.
      await load.readOnce();
    }
    const refusals = upstream.refusals();
    assert(refusals > 0, 'No request reached the service with an old key');
    const answers = [...load.counts].map(([kind, count]) => `${kind} ${count}`);
    return { 'refused by the service': refusals, answers: answers.sort().join(', ') };
  } finally {
    await upstream.stop();
    client.destroy();
  }
}
