import { createHash } from 'node:crypto';
import { type Rate, tokenBuckets } from '../lib/credentials/rate-limit.ts';
import { networkOf } from '../lib/credentials/sender-hash.ts';
import type { Proof } from './proof.ts';

/** Credentials that a client sent, not yet checked. */
export interface Attempt extends Proof {
  /** The sender's address. */
  readonly address: string;
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
/** How many good keys are remembered. */
const MOST_PROVED = 10_000;

/**
 * Only wrong credentials count. Above the rate, an address may send credentials that were good before, and tokens, whose
 * signature is checked first. So an attacker cannot lock out clients that share its address, such as behind a proxy.
 */
export function createAttempts(options: AttemptsOptions): Attempts {
  const buckets = tokenBuckets({ ...options, most: MOST_ADDRESSES });
  /** By their hash, those used longest ago first. */
  const proved = new Set<string>();

  const isProved = ({ proof }: Attempt) => proof !== undefined && proved.has(hashOf(proof));

  return {
    mayTry: (attempt) => attempt.isSigned || buckets.has(networkOf(attempt.address)) || isProved(attempt),
    succeeded({ proof, isSigned }) {
      // Tokens are checked anyway: they would take the places of keys.
      if (isSigned || proof === undefined) return;
      const hash = hashOf(proof);
      proved.delete(hash);
      proved.add(hash);
      for (const oldest of proved) {
        if (proved.size <= MOST_PROVED) break;
        proved.delete(oldest);
      }
    },
    failed({ address, proof, isSigned }) {
      if (proof !== undefined) proved.delete(hashOf(proof));
      return buckets.take(networkOf(address)) || isSigned;
    },
  };
}

function hashOf(proof: string): string {
  return createHash('sha256').update(proof).digest('base64url');
}
