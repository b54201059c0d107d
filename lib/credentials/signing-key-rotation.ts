import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { CLOCK_SKEW_SECONDS, REFRESH_TOKEN_SECONDS } from '../contract/limits.ts';
import type { VersionedSecretStore } from './secret-store.ts';
import { parseSigningKeys, StoredKeys, signsFromMs } from './signing-keys.ts';

/** A new signing key, as the secret stores it. */
export interface NewSigningKey {
  readonly id: string;
  readonly secret: string;
}

/** Makes a random signing key. */
export function newSigningKey(): NewSigningKey {
  return { id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') };
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

/**
 * Makes the secret of the signing keys after a leak: only the new key, which signs at once. The tokens of all other keys
 * are refused as soon as every process has read the secret again, after 30 seconds at the latest.
 */
export function replaceSigningKeys(added: NewSigningKey, nowMs: number): StoredKeys {
  return { keys: [{ ...added, signsFromUtc: new Date(nowMs).toISOString() }] };
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
    const [, ...earlier] = parseSigningKeys(JSON.parse((await store.readVersion(name, versionId)) ?? 'null'));
    const current = parseSigningKeys(JSON.parse(await store.read(name)));
    if (earlier.some(({ id }) => current.every((key) => key.id !== id))) throw new KeysDropped();
    await store.promoteVersion(name, versionId);
  }
}

/** The error of a rotation that would bring back a key that was dropped after the rotation had started. */
class KeysDropped extends Error {
  override readonly name = 'KeysDropped';

  constructor() {
    super('The signing keys were dropped during this rotation, which therefore ends');
  }
}

/** The dependencies of `dropSigningKeys`. */
export interface DropDeps {
  readonly store: VersionedSecretStore;
  /** The new key, which signs from now on. */
  readonly newKey: NewSigningKey;
  /** The id of the secret's new version, such as a UUID. */
  readonly versionId: string;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** How long a rotation that has already checked the keys may take to finish, in milliseconds. */
const FINISH_MS = 5_000;

/**
 * Drops all signing keys from their secret, and stores a new one. A rotation that is running cannot bring them back: it
 * is refused in its last step.
 * @returns whether the new key is the only one; `false` if a rotation has just finished: drop the keys again
 */
export async function dropSigningKeys(
  name: string,
  { store, newKey, versionId, now, sleep }: DropDeps,
): Promise<boolean> {
  await store.stageVersion(name, versionId, JSON.stringify(replaceSigningKeys(newKey, now())));
  await store.promoteVersion(name, versionId);
  await sleep(FINISH_MS);
  return parseSigningKeys(JSON.parse(await store.read(name))).every(({ id }) => id === newKey.id);
}
