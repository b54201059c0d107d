import * as z from 'zod/mini';
import { CLOCK_SKEW_SECONDS, REFRESH_TOKEN_SECONDS } from '../contract/limits.ts';
import type { VersionedSecretStore } from './secret-store.ts';
import { parseSigningKeys, StoredKeys, signsFromMs } from './signing-keys.ts';

/** A new signing key, as the secret stores it. */
export interface NewSigningKey {
  readonly id: string;
  readonly secret: string;
}

/**
 * The delay until a new key starts to sign, in milliseconds. It is twice the cache time, so every process has read the
 * new key by then.
 */
const SIGNS_AFTER_MS = 60_000;

/**
 * The delay until a new key starts to sign after a rotation by Secrets Manager, in milliseconds. Secrets Manager may
 * repeat steps for a while before the new keys are current.
 */
const SIGNS_AFTER_ROTATION_MS = 3_600_000;

/** How long a key is kept after it stops signing, in milliseconds: until its last token has expired. */
const KEEP_MS = (REFRESH_TOKEN_SECONDS + 2 * CLOCK_SKEW_SECONDS) * 1_000;

/**
 * Adds a key to the secret of the signing keys. The key starts to sign later, after every process has read it. Old keys
 * whose last token has expired are dropped.
 * @param value the current secret, parsed from JSON
 * @param signsAfterMs after how many milliseconds the key starts to sign; a minute by default
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

/** The event of Secrets Manager for one step of a rotation. Secrets Manager may send the same step several times. */
export const RotationEvent = z.object({
  Step: z.enum(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
  SecretId: z.string(),
  /** The id of the secret's new version. */
  ClientRequestToken: z.string(),
});
export type RotationEvent = z.infer<typeof RotationEvent>;

/** Runs one step of a rotation: stages a version with an added key, checks this version, or makes it current. */
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
    // A deployment runs only this step, and its version may be empty: then the current version is checked.
    parseSigningKeys(JSON.parse((await store.readVersion(name, versionId)) ?? (await store.read(name))));
  }
  if (step === 'finishSecret') {
    parseSigningKeys(JSON.parse((await store.readVersion(name, versionId)) ?? 'null'));
    await store.promoteVersion(name, versionId);
  }
}
