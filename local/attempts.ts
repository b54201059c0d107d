import { createHash } from 'node:crypto';
import { networkOf } from '../lib/credentials/sender-hash.ts';
import { type Rate, tokenBuckets } from '../lib/credentials/token-buckets.ts';

/** Credentials that a client sent, not yet checked. */
export interface Attempt {
  /** The sender's address. */
  readonly address: string;
  /** Everything that proves the sender: a header, a body. */
  readonly credentials: string;
  /** Whether a signature proves them, before anything is read from the store. */
  readonly isSigned: boolean;
}

/** Limits how many wrong credentials an address may send. */
export interface Attempts {
  /** Whether the credentials may be checked. */
  mayTry(attempt: Attempt): boolean;
  /** Notes that the credentials are good. */
  succeeded(attempt: Attempt): void;
  /**
   * Counts wrong credentials.
   * @returns whether their sender may learn that they are wrong: above the rate, only that a token is, which may have expired
   */
  failed(attempt: Attempt): boolean;
}

/** No limit. */
export const UNLIMITED: Attempts = { mayTry: () => true, succeeded: () => {}, failed: () => true };

export interface AttemptsOptions extends Rate {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How many addresses are remembered. An attacker with more is known by others only. */
const MOST_ADDRESSES = 10_000;
/** How many good credentials are remembered. */
const MOST_PROVED = 10_000;

/**
 * Only wrong credentials count. Above the rate, an address may send credentials that were good before, and tokens, whose
 * signature is checked first. So an attacker cannot lock out clients that share its address, such as behind a proxy.
 */
export function createAttempts(options: AttemptsOptions): Attempts {
  const buckets = tokenBuckets({ ...options, most: MOST_ADDRESSES });
  /** By their hash, those used longest ago first. */
  const proved = new Set<string>();

  return {
    mayTry: (attempt) =>
      attempt.isSigned || buckets.has(networkOf(attempt.address)) || proved.has(hashOf(attempt.credentials)),
    succeeded({ credentials }) {
      const hash = hashOf(credentials);
      proved.delete(hash);
      proved.add(hash);
      for (const oldest of proved) {
        if (proved.size <= MOST_PROVED) break;
        proved.delete(oldest);
      }
    },
    failed({ address, credentials, isSigned }) {
      proved.delete(hashOf(credentials));
      return buckets.take(networkOf(address)) || isSigned;
    },
  };
}

function hashOf(credentials: string): string {
  return createHash('sha256').update(credentials).digest('base64url');
}
