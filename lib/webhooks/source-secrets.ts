import * as z from 'zod/mini';
import { type CachedSecret, cachedSecret } from '../credentials/cached-secret.ts';
import type { SecretStore } from '../credentials/secret-store.ts';
import type { SignedSource } from './sources.ts';

/** The folder in the data folder that holds the secrets of sources on one machine. */
export const SECRETS_FOLDER = 'webhook-secrets';

/** Two, so that a rotation has no gap. */
export const MAX_LIVE_SECRETS = 2;

/** The live secrets of a source, the newest first. */
const StoredSecrets = z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_LIVE_SECRETS));

export function readSecrets(text: string): readonly string[] {
  return StoredSecrets.parse(JSON.parse(text));
}

export function writeSecrets(secrets: readonly string[]): string {
  return JSON.stringify(secrets);
}

/** Reads the live secrets of a source. @throws {Problem} `unavailable` */
export type ReadSourceSecrets = (source: Pick<SignedSource, 'secretsAt'>) => Promise<readonly string[]>;

/** The most sources whose secrets a process caches. */
const MAX_CACHED = 1_000;

/**
 * Reads the secrets of each source once. Other secrets have another name, which the source's record has, so a rotation takes
 * effect with the next message. Concurrent calls share one read.
 */
export function sourceSecretsIn(store: Pick<SecretStore, 'read'>, now: () => number): ReadSourceSecrets {
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
