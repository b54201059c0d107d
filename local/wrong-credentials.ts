import { createHash } from 'node:crypto';
import type { Rate } from '../lib/contract/settings.ts';
import { tokenBuckets } from '../lib/credentials/rate-limit.ts';
import { remember } from '../lib/service/recent.ts';
import { GatewayError } from './response.ts';
import type { RouteEntry } from './target.ts';

/** Credentials from a client that are not checked yet, as a hash. */
export interface SentCredentials {
  /** The SHA-256 of the credentials as the client sent them, in base64url. */
  readonly hash: string;
  /** Whether the client sent a token. A wrong token costs little: its signature is checked before the store is read. */
  readonly isToken: boolean;
}

const SIGNED_TOKEN = /^bearer +[\w-]+\.[\w-]+\.[\w-]+ *$/i;

/** Returns the hash of a value of the header `Authorization`, and whether the value has the form of a signed token. */
export function headerCredentials(authorization: string): SentCredentials {
  return { hash: hashOf(authorization), isToken: SIGNED_TOKEN.test(authorization) };
}

/**
 * Returns the hash of the credentials in a sign-in or refresh, and whether they are a token. The credentials are the
 * body, or the header `Authorization` if there is no body. In the sign-in of OAuth, the header comes first: its body may
 * have no credentials, and is then the same for all clients.
 * @returns `undefined` if the request has no credentials, or is neither a sign-in nor a refresh
 */
export function signInCredentials(
  { function: name, body: kind }: RouteEntry,
  body: Buffer | null,
  authorization: readonly string[],
): SentCredentials | undefined {
  if (name !== 'tokens') return undefined;
  const inHeader = authorization.length > 0 ? headerCredentials(authorization.join()) : undefined;
  const inBody = body ? { hash: hashOf(body), isToken: kind === 'refresh-token' } : undefined;
  return kind === 'client-credentials' ? (inHeader ?? inBody) : (inBody ?? inHeader);
}

function hashOf(credentials: string | Buffer): string {
  return createHash('sha256').update(credentials).digest('base64url');
}

/** The key of the token bucket that all clients share, because all of them are on this machine. */
const BUCKET = '127.0.0.1';

/**
 * Limits the rate at which clients send wrong credentials. Above the limit, clients may still send tokens, and API keys
 * that were valid before. An attacker therefore cannot lock out other clients, such as clients behind the same proxy.
 */
export class WrongCredentials {
  readonly #buckets;
  readonly #good = new Map<string, true>();

  /**
   * Creates the limit.
   * @param rate the limit; if absent, nothing is limited
   * @param now returns milliseconds since 1970
   */
  constructor(rate: Rate | undefined, now: () => number) {
    this.#buckets = rate && tokenBuckets({ ...rate, now });
  }

  /**
   * Checks whether credentials may be checked now.
   * @throws {GatewayError} THROTTLED above the limit, if the credentials are neither a token nor known to be valid
   */
  requireAllowed({ hash, isToken }: SentCredentials): void {
    if (isToken || !this.#buckets || this.#buckets.has(BUCKET)) return;
    if (!this.#good.has(hash)) throw tooMany();
  }

  /** Remembers a valid key. Tokens are not remembered, because they would displace keys. */
  recordGood({ hash, isToken }: SentCredentials): void {
    if (!isToken) remember(this.#good, hash, true);
  }

  /**
   * Counts wrong credentials.
   * @throws {GatewayError} THROTTLED above the limit, in place of 401. A token still gets 401: it may have expired
   */
  recordWrong({ hash, isToken }: SentCredentials): void {
    this.#good.delete(hash);
    const isWithinRate = this.#buckets?.take(BUCKET) ?? true;
    if (!isWithinRate && !isToken) throw tooMany();
  }
}

function tooMany(): GatewayError {
  return new GatewayError('THROTTLED', {
    detail:
      'Too many requests from your address had wrong credentials. So Segue rejected this request, although its credentials may be right.',
  });
}
