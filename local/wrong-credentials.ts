import { createHash } from 'node:crypto';
import { type Rate, tokenBuckets } from '../lib/credentials/rate-limit.ts';
import { remember } from './recent.ts';
import { GatewayError } from './response.ts';
import type { RouteEntry } from './target.ts';

/** Credentials that a client sent, not yet checked. */
interface SentCredentials {
  readonly hash: string;
  /** Whether their signature is checked before anything is read from the store. */
  readonly isToken: boolean;
}

const SIGNED_TOKEN = /^bearer +[\w-]+\.[\w-]+\.[\w-]+ *$/i;

/** The credentials in a value of `Authorization`. */
export function headerCredentials(authorization: string): SentCredentials {
  return { hash: hashOf(authorization), isToken: SIGNED_TOKEN.test(authorization) };
}

/**
 * The credentials of a sign-in (in its body, else in its header) or of a refresh.
 * @returns `undefined` if the request has none, or its route does not check any by itself
 */
export function signInCredentials(
  { function: name, body: kind }: RouteEntry,
  body: Buffer | null,
  authorization: readonly string[],
): SentCredentials | undefined {
  if (name !== 'tokens') return undefined;
  if (body) return { hash: hashOf(body), isToken: kind === 'refresh-token' };
  return authorization.length > 0 ? headerCredentials(authorization.join()) : undefined;
}

function hashOf(credentials: string | Buffer): string {
  return createHash('sha256').update(credentials).digest('base64url');
}

/** All clients are on this machine, so they share a bucket. */
const BUCKET = '127.0.0.1';

/**
 * Limits how many wrong credentials clients send. Above the rate, they may still send keys that were good before, and
 * tokens. An attacker therefore cannot lock out other clients, such as those behind the same proxy.
 */
export class WrongCredentials {
  readonly #buckets;
  readonly #good = new Map<string, true>();

  /** @param rate unlimited unless given. @param now milliseconds since 1970 */
  constructor(rate: Rate | undefined, now: () => number) {
    this.#buckets = rate && tokenBuckets({ ...rate, now });
  }

  /** @throws {GatewayError} THROTTLED if the credentials may not be checked now */
  requireAllowed({ hash, isToken }: SentCredentials): void {
    if (isToken || !this.#buckets || this.#buckets.has(BUCKET)) return;
    if (!this.#good.has(hash)) throw tooMany();
  }

  /** Remembers good keys. Tokens are not remembered: they would take the place of keys. */
  recordGood({ hash, isToken }: SentCredentials): void {
    if (!isToken) remember(this.#good, hash, true);
  }

  /**
   * Counts wrong credentials.
   * @throws {GatewayError} THROTTLED above the rate, in place of 401; a token may have expired, so its client learns that
   */
  recordWrong({ hash, isToken }: SentCredentials): void {
    this.#good.delete(hash);
    const isWithinRate = this.#buckets?.take(BUCKET) ?? true;
    if (!isWithinRate && !isToken) throw tooMany();
  }
}

function tooMany(): GatewayError {
  return new GatewayError('THROTTLED', {
    detail: 'This address sends too many wrong credentials. Segue did not check these.',
  });
}
