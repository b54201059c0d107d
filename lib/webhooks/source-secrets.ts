import * as z from 'zod/mini';
import { type CachedSecret, cachedSecret } from '../credentials/cached-secret.ts';
import type { SecretStore } from '../credentials/secret-store.ts';
import type { SignedSource } from './source.ts';

/** The folder of the data folder that has the secrets of sources on one machine. */
export const SECRETS_FOLDER = 'webhook-secrets';

/** Two, so that a rotation has no gap. */
export const MOST_LIVE_SECRETS = 2;

/** The live secrets of a source, the newest first. */
const StoredSecrets = z.array(z.string()).check(z.minLength(1), z.maxLength(MOST_LIVE_SECRETS));

export function readSecrets(text: string): readonly string[] {
  return StoredSecrets.parse(JSON.parse(text));
}

export function writeSecrets(secrets: readonly string[]): string {
  return JSON.stringify(secrets);
}

/** Reads the live secrets of a source. @throws {Problem} `unavailable` */
export type SecretsOf = (source: Pick<SignedSource, 'secretsAt'>) => Promise<readonly string[]>;

/** Of so many sources a process keeps the secrets. */
const MOST_KEPT = 1_000;

/**
 * Reads each source's secrets once: other secrets are in another place, which the source says, so that a rotation holds
 * from the next message on. Many messages at once wait for one reading.
 */
export function secretsIn(store: Pick<SecretStore, 'read'>, now: () => number): SecretsOf {
  const kept = new Map<string, CachedSecret<readonly string[]>>();
  return ({ secretsAt }) => {
    const known = kept.get(secretsAt);
    if (known) return known.read();
    const secret = cachedSecret(
      () => store.read(secretsAt),
      (value) => StoredSecrets.parse(value),
      { now, maxAgeMs: Infinity },
    );
    kept.set(secretsAt, secret);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return secret.read();
  };
}
