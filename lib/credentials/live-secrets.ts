import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import type { ItemStore, Write } from '../storage/port.ts';
import { type CachedSecret, cachedSecret } from './cached-secret.ts';
import type { SecretStore } from './secret-store.ts';

/** The number of secrets of one owner that can be live at once: two, so that a rotation has no gap. */
export const MAX_LIVE_SECRETS = 2;

/** The schema of stored live secrets, the newest first. */
const StoredSecrets = z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_LIVE_SECRETS));

/** Parses stored live secrets. @throws if they have another shape */
export function readSecrets(text: string): readonly string[] {
  return StoredSecrets.parse(JSON.parse(text));
}

/** A record that names the place of an owner's live secrets. When the secrets change, they get a new name. */
export interface SecretsOwner {
  readonly secretsAt: string;
}

/** Reads the live secrets of an owner, the newest first. @throws {Problem} `unavailable` */
export type ReadLiveSecrets = (owner: SecretsOwner) => Promise<readonly string[]>;

/** The number of owners whose secrets a process caches. */
const MAX_CACHED = 1_000;

/**
 * Creates a reader that caches live secrets by the name under which they are stored. A rotation stores the secrets under
 * a new name, and writes that name into the owner's record. Segue reads the record for each message, so a rotation takes
 * effect with the next message. Concurrent calls share one read.
 */
export function liveSecretsIn(store: Pick<SecretStore, 'read'>, now: () => number): ReadLiveSecrets {
  const cached = new Map<string, CachedSecret<readonly string[]>>();
  return ({ secretsAt }) => {
    const known = cached.get(secretsAt);
    if (known) return known.read();
    const secret = cachedSecret(
      () => store.read(secretsAt),
      (value) => StoredSecrets.parse(value),
      { now, maxAgeMs: Infinity },
    );
    cached.set(secretsAt, secret);
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    return secret.read();
  };
}

/** Secrets to store under a new name. */
interface NewSecrets {
  /** The beginning of the name under which the secrets are stored. */
  readonly prefix: string;
  /** The live secrets, the newest first. */
  readonly secrets: readonly string[];
}

/**
 * Stores secrets under a new name, and then makes a change that names them. If the change does not succeed, it deletes
 * the secrets. If the outcome is unknown, it keeps them.
 * @returns whether the change succeeded
 */
export async function withNewSecret(
  secretStore: SecretStore,
  { prefix, secrets }: NewSecrets,
  change: (secretsAt: string) => Promise<boolean>,
): Promise<boolean> {
  const secretsAt = `${prefix}-${randomBytes(6).toString('hex')}`;
  await secretStore.create(secretsAt, JSON.stringify(secrets));
  try {
    const isDone = await change(secretsAt);
    if (!isDone) await secretStore.delete(secretsAt);
    return isDone;
  } catch (error) {
    if (!isUnknown(error)) await secretStore.delete(secretsAt);
    throw error;
  }
}

/** Whether a record may contain a new name. */
function isUnknown(error: unknown): boolean {
  return error instanceof Problem && error.name === 'outcome-unknown';
}

/** Secrets to store, and the record that is to name them. */
interface SecretsChange extends NewSecrets {
  /** Makes the writes of the owner's records. One of the records names the secrets. */
  readonly writesOf: (secretsAt: string) => readonly Write[];
  /** Returns the name of the secrets in the owner's record now. */
  readonly currentName: () => Promise<string | undefined>;
}

/**
 * Stores secrets under a new name, and then commits a record with this name. If the commit does not succeed, it deletes
 * the secrets.
 * @returns whether the commit succeeded
 */
export function commitSecrets(
  { store, secretStore }: { readonly store: ItemStore; readonly secretStore: SecretStore },
  { writesOf, currentName, ...secrets }: SecretsChange,
): Promise<boolean> {
  return withNewSecret(secretStore, secrets, async (secretsAt) => {
    try {
      return (await store.commit({ writes: writesOf(secretsAt) })).ok;
    } catch (error) {
      // If this read fails too, the outcome is still unknown.
      const named = isUnknown(error) ? await currentName().catch(() => undefined) : undefined;
      if (named === secretsAt) return true;
      throw error;
    }
  });
}
