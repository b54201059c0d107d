import * as z from 'zod/mini';
import { CLOCK_SKEW_SECONDS, REFRESH_TOKEN_SECONDS } from '../contract/limits.ts';
import type { VersionedSecretStore } from './secret-store.ts';
import { parseSigningKeys, StoredKeys, signsFromMs } from './signing-keys.ts';

/** A new signing key as it is stored. */
export interface NewSigningKey {
  readonly id: string;
  readonly secret: string;
}

/** Twice as long as a process caches the keys: by then every process has read them again. */
const SIGNS_AFTER_MS = 60_000;

/** A rotation by Secrets Manager may repeat its steps for a while before the new keys are current. */
const SIGNS_AFTER_ROTATION_MS = 3_600_000;

/** How long a key is kept after it stops signing: until the last token that it signed has expired. */
const KEEP_MS = (REFRESH_TOKEN_SECONDS + 2 * CLOCK_SKEW_SECONDS) * 1_000;

/**
 * Adds a key to the signing keys. It signs later, so that every process has read it before it meets one of its tokens. Drops
 * old keys whose last token has expired.
 * @param value the secret before
 * @param signsAfterMs how much later, in milliseconds; a minute unless given
 * @throws if the secret has the wrong shape
 */
export function addSigningKey(
  value: unknown,
  added: NewSigningKey,
  nowMs: number,
  signsAfterMs = SIGNS_AFTER_MS,
): StoredKeys {
  const signsFromUtc = new Date(nowMs + signsAfterMs).toISOString();
  const keys = [{ ...added, signsFromUtc }, ...StoredKeys.parse(value).keys];
  // A key signs until the next newer key starts.
  const isNeeded = (index: number) => {
    const next = keys[index - 1];
    return next === undefined || signsFromMs(next) + KEEP_MS > nowMs;
  };
  return { keys: keys.filter((_, index) => isNeeded(index)) };
}

/** The event of Secrets Manager for one step of a rotation. It may send the same step any number of times. */
export const RotationEvent = z.object({
  Step: z.enum(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
  SecretId: z.string(),
  /** The id of the new version. */
  ClientRequestToken: z.string(),
});
export type RotationEvent = z.infer<typeof RotationEvent>;

/** Does one step of a rotation: stages the keys with one added, checks them, or makes them current. */
export async function rotateSigningKeys(
  { Step: step, SecretId: name, ClientRequestToken: versionId }: RotationEvent,
  store: VersionedSecretStore,
  newKey: () => NewSigningKey,
  nowMs: number,
): Promise<void> {
  if (step === 'createSecret' && (await store.readVersion(name, versionId)) === undefined) {
    const keys = addSigningKey(JSON.parse(await store.read(name)), newKey(), nowMs, SIGNS_AFTER_ROTATION_MS);
    await store.stageVersion(name, versionId, JSON.stringify(keys));
  }
  if (step === 'testSecret') {
    // A deployment runs this step alone, with a version that may be empty. Then check the current version.
    parseSigningKeys(JSON.parse((await store.readVersion(name, versionId)) ?? (await store.read(name))));
  }
  if (step === 'finishSecret') {
    parseSigningKeys(JSON.parse((await store.readVersion(name, versionId)) ?? 'null'));
    await store.promoteVersion(name, versionId);
  }
}
