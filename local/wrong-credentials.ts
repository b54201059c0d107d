import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { readBasic } from '../lib/contract/credentials.ts';
import { parseJson } from '../lib/contract/json.ts';
import { Problem } from '../lib/contract/problem.ts';
import type { BodyKind } from '../lib/contract/routes.ts';
import { RefreshRequest, TokenRequest } from '../lib/contract/token.ts';
import { type Rate, tokenBuckets } from '../lib/credentials/rate-limit.ts';
import { networkOf } from '../lib/credentials/sender-hash.ts';
import { GatewayError } from './response.ts';

/** Credentials that a client sent, not yet checked. */
export interface SentCredentials {
  /** The company and its key, the same in whatever form they are sent; `undefined` if they cannot be read. */
  readonly key: string | undefined;
  /** Whether their signature is checked before anything is read from the store. */
  readonly isToken: boolean;
}

const TOKEN: SentCredentials = { key: undefined, isToken: true };
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;
const SIGNED_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads the credentials in a value of `Authorization`. */
export function credentialsInHeader(authorization: string): SentCredentials {
  const [, token] = BEARER.exec(authorization) ?? [];
  if (token !== undefined) return SIGNED_TOKEN.test(token) ? TOKEN : apiKey('', token);
  const basic = readBasic(authorization);
  return basic ? apiKey(basic.companyId, basic.apiKey) : { key: undefined, isToken: false };
}

/**
 * Reads the credentials of a sign-in (in its body, else in its header) or of a refresh.
 * @param authorization every value of `Authorization`
 * @returns `undefined` if the request has none, or its route does not check any by itself
 */
export function credentialsInRequest(
  kind: BodyKind,
  { body }: APIGatewayProxyEvent,
  authorization: readonly string[],
): SentCredentials | undefined {
  if (kind === 'refresh-token') return RefreshRequest.safeParse(jsonOf(body ?? '')).success ? TOKEN : undefined;
  if (kind !== 'credentials') return undefined;
  if (body) {
    const signIn = TokenRequest.safeParse(jsonOf(body));
    return signIn.success ? apiKey(signIn.data.username, signIn.data.password) : undefined;
  }
  // The operation joins several values too.
  const header = authorization.join(',');
  return header === '' ? undefined : credentialsInHeader(header);
}

function apiKey(companyId: string, key: string): SentCredentials {
  return { key: JSON.stringify([companyId, key]), isToken: false };
}

/** @returns `undefined` if the body is not JSON: the operation rejects it before it checks credentials */
function jsonOf(base64: string): unknown {
  try {
    return parseJson(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** How many addresses and how many good keys are remembered. */
const MOST_REMEMBERED = 10_000;

export interface WrongCredentialsOptions {
  /** How many wrong credentials each address may send; unlimited unless given. */
  readonly rate: Rate | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Limits how many wrong credentials each address sends. Above the rate, an address may still send keys that were good
 * before, and tokens. An attacker therefore cannot lock out clients that share its address, such as behind a proxy.
 */
export class WrongCredentials {
  readonly #buckets;
  /** Hashes of good keys; the least recently used comes first. */
  readonly #goodKeys = new Set<string>();

  constructor({ rate, now }: WrongCredentialsOptions) {
    this.#buckets = rate && tokenBuckets({ ...rate, now, most: MOST_REMEMBERED });
  }

  /** @throws {GatewayError} THROTTLED if the credentials may not be checked now */
  requireAllowed({ key, isToken }: SentCredentials, address: string): void {
    if (isToken || !this.#buckets || this.#buckets.has(networkOf(address))) return;
    if (key === undefined || !this.#goodKeys.has(hashOf(key))) throw tooMany();
  }

  /** Remembers good credentials. Tokens are not remembered: they would take the place of keys. */
  recordGood({ key, isToken }: SentCredentials): void {
    if (!this.#buckets || isToken || key === undefined) return;
    const hash = hashOf(key);
    this.#goodKeys.delete(hash);
    this.#goodKeys.add(hash);
    const [oldest] = this.#goodKeys;
    if (this.#goodKeys.size > MOST_REMEMBERED && oldest !== undefined) this.#goodKeys.delete(oldest);
  }

  /**
   * Counts wrong credentials.
   * @param cause why they are wrong
   * @throws {GatewayError} THROTTLED above the rate, in place of 401; a token may have expired, so its client learns that
   */
  recordWrong({ key, isToken }: SentCredentials, address: string, cause?: unknown): void {
    if (key !== undefined) this.#goodKeys.delete(hashOf(key));
    const isWithinRate = this.#buckets?.take(networkOf(address)) ?? true;
    if (!isWithinRate && !isToken) throw tooMany(cause);
  }
}

function tooMany(cause?: unknown): GatewayError {
  const detail = 'This address sends too many wrong credentials. Segue did not check these.';
  return new GatewayError('THROTTLED', { cause, detail });
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
