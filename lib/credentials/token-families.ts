import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import type { Refusal } from '../contract/refusals.ts';
import { type Attempt, isSameRequest, Overtaken, runIdempotent } from '../idempotency/run-idempotent.ts';
import type { Item, ItemReader, Key, Write } from '../storage/port.ts';
import type { Authentication } from './authentication.ts';
import { requireRate } from './company-rate.ts';
import { enlist } from './family-list.ts';
import type { Principal } from './principal.ts';
import { type Refused, Unauthenticated } from './refusal.ts';
import { signingKeyAt } from './signing-keys.ts';
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS, SKEW_SECONDS } from './token-times.ts';
import { issueToken, keyIdOf, readToken, type TokenSubject } from './tokens.ts';

/** An access token, and the refresh token that once gets the next pair. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds until the access token expires. */
  readonly expiresIn: number;
}

/**
 * What is kept of a family: no token, only which generation is the last one. It is revoked by the second use of a refresh
 * token, and evicted by newer sign-ins of its key.
 */
const Family = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('live'), keyId: z.string(), generation: z.int() }),
  z.strictObject({ state: z.enum(['revoked', 'evicted']), keyId: z.string() }),
]);
type Family = z.infer<typeof Family>;

/** How a pair was made, from which it can be made again: what is kept of a refresh for its retry. */
const Issued = z.strictObject({ generation: z.int(), issuedAtMs: z.int(), signingKeyId: z.string() });
type Issued = z.infer<typeof Issued>;

/** What makes a refresh happen once, however often it is sent. */
export interface RefreshOnce {
  /** The caller's own. */
  readonly key: string;
  /** How long this attempt may work, in milliseconds. */
  readonly leaseMs: number;
  /** Called where the answer is that of an earlier request with the key. */
  readonly replayed: () => void;
}

/** A pair, and the sign-in that it comes of. */
export interface Issuance extends TokenPair {
  readonly subject: Omit<TokenSubject, 'generation'>;
}

/**
 * Begins a family for a key that proved itself, and ends the key's oldest one if it has too many.
 * @throws {Problem} `rate-limited`, `unavailable`
 */
export async function beginFamily(authentication: Authentication, principal: Principal): Promise<Issuance> {
  const { store, now, newId, rate } = authentication;
  const { companyId, keyId } = principal;
  await requireRate(rate, companyId);
  const subject = { companyId, keyId, familyId: newId() };
  const issued = await issueNow(authentication, 1);
  const expiresAtMs = lastUseMs(issued);
  const endOf = async (familyId: string) => {
    const item = await store.read(familyKey({ companyId, familyId }));
    return item && readFamily(item).state === 'live' ? (item.expiresAtMs ?? 0) : 0;
  };
  const begun: Family = { state: 'live', keyId, generation: 1 };
  const evicted: Family = { state: 'evicted', keyId };
  for (;;) {
    const list = await enlist(store, subject, { untilMs: expiresAtMs, nowMs: now() }, endOf);
    const ends = list.evicted.map((familyId): Write => {
      // Not before the last token of the family has expired, whenever it was refreshed.
      return { kind: 'put', key: familyKey({ companyId, familyId }), data: evicted, expiresAtMs };
    });
    const begin: Write = { kind: 'insert', key: familyKey(subject), data: begun, expiresAtMs };
    const commit = await store.commit({ writes: [list.write, begin, ...ends] }).catch(repeatable);
    if (commit.ok) return pairOf(authentication, subject, issued);
    if (commit.refused !== 0) throw new RangeError('An id that no other process gives was given twice');
  }
}

/** A family that may have begun or not is as good as none, since nobody has a token of it. */
function repeatable(error: unknown): never {
  if (!(error instanceof Problem) || error.name !== 'outcome-unknown') throw error;
  throw new Problem('unavailable', { detail: 'No token could be made now.', retryAfterSeconds: 1 }, { cause: error });
}

/** Why the tokens of a family are no longer good; `undefined` while they are. */
export async function endOfFamily(store: ItemReader, subject: TokenSubject): Promise<Refusal | undefined> {
  const item = await store.read(familyKey(subject));
  return refusalOf(item && readFamily(item));
}

function refusalOf(family: Family | undefined): Refusal | undefined {
  if (family?.state === 'live') return undefined;
  return family?.state === 'evicted' ? 'evicted-family' : 'ended-family';
}

/**
 * Takes a refresh token and gives the next pair. A token works once: when it is used again, somebody has it who should
 * not, and nobody can tell who, so the whole family ends. A retry with its key is no second use.
 * @throws {Unauthenticated} for a token that is wrong, old or used, or whose key is no longer active
 * @throws {Problem} `rate-limited`; with a key `request-in-progress`, `idempotency-key-reused`
 */
export async function refresh(
  authentication: Authentication,
  refreshToken: string,
  onlyOnce?: RefreshOnce,
): Promise<Issuance> {
  const { store, now } = authentication;
  const token = await prove(authentication, refreshToken);
  await requireRate(authentication.rate, token.companyId);
  if (!onlyOnce) return pairOf(authentication, token, await advance(authentication, token));
  const meaning = { operation: 'refresh', fingerprint: hashOf(refreshToken) };
  const key: Key = { ...familyKey(token), sort: `refresh/${hashOf(onlyOnce.key)}` };
  const outcome = await runIdempotent({ storage: store, key, meaning, now, leaseMs: onlyOnce.leaseMs }, (attempt) =>
    advance(authentication, token, attempt),
  );
  if (outcome.kind === 'done') return pairOf(authentication, token, outcome.value);
  if (!isSameRequest(outcome.meaning, meaning)) {
    throw new Problem('idempotency-key-reused', { detail: 'Another refresh token was sent with this key.' });
  }
  const end = await endOfFamily(store, token);
  if (end) throw refused(end, token);
  onlyOnce.replayed();
  return pairOf(authentication, token, Issued.parse(outcome.result));
}

async function prove({ keys, signingKeys, now }: Authentication, refreshToken: string): Promise<TokenSubject> {
  const keysNow = await signingKeys(keyIdOf('refresh', refreshToken));
  try {
    const token = await readToken('refresh', refreshToken, keysNow, now());
    await keys.byKeyId(token.companyId, token.keyId);
    return token;
  } catch (error) {
    throw error instanceof Unauthenticated ? refused(error.refusal, error.refused) : error;
  }
}

async function advance(authentication: Authentication, token: TokenSubject, claim?: Attempt): Promise<Issued> {
  const { store } = authentication;
  const key = familyKey(token);
  for (;;) {
    const item = await store.read(key);
    const family = item && readFamily(item);
    if (!item || family?.state !== 'live') throw refused(refusalOf(family) ?? 'ended-family', token);
    const isUsed = family.generation !== token.generation;
    const issued = await issueNow(authentication, token.generation + 1);
    const { keyId } = family;
    const data: Family = isUsed ? { state: 'revoked', keyId } : { ...family, generation: issued.generation };
    const change: Write = { kind: 'replace', key, version: item.version, data, expiresAtMs: lastUseMs(issued) };
    // The claim first: an attempt that another one with its key has overtaken finds the token used, and that by itself.
    const own = claim ? [isUsed ? claim.held : claim.settle(issued)] : [];
    const commit = await store.commit({ writes: [...own, change] });
    if (commit.ok && !isUsed) return issued;
    if (commit.ok) throw refused('reused-token', token);
    if (claim && commit.refused === 0) throw new Overtaken();
  }
}

async function issueNow({ signingKeys, now }: Authentication, generation: number): Promise<Issued> {
  const issuedAtMs = now();
  return { generation, issuedAtMs, signingKeyId: signingKeyAt(await signingKeys(), issuedAtMs).id };
}

/** @throws {Unauthenticated} where the key that signed the pair is gone: then its tokens are too */
async function pairOf(
  { signingKeys, now }: Authentication,
  subject: Issuance['subject'],
  { generation, issuedAtMs, signingKeyId }: Issued,
): Promise<Issuance> {
  const key = (await signingKeys(signingKeyId)).find(({ id }) => id === signingKeyId);
  if (!key) throw refused('expired-token', subject);
  const of = { ...subject, generation };
  return {
    subject,
    accessToken: await issueToken('access', of, key, issuedAtMs),
    refreshToken: await issueToken('refresh', of, key, issuedAtMs),
    expiresIn: Math.max(0, ACCESS_TOKEN_SECONDS - Math.floor((now() - issuedAtMs) / 1_000)),
  };
}

/** Until when a token of the family may be used. */
function lastUseMs({ issuedAtMs }: Issued): number {
  return issuedAtMs + (REFRESH_TOKEN_SECONDS + 2 * SKEW_SECONDS) * 1_000;
}

function familyKey({ companyId, familyId }: Pick<TokenSubject, 'companyId' | 'familyId'>): Key {
  return { partition: `company/${companyId}`, sort: `token-family/${familyId}` };
}

function readFamily(item: Item): Family {
  return Family.parse(item.data);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function refused(refusal: Refusal, whose: Refused): Unauthenticated {
  return new Unauthenticated(refusal, whose, 'The refresh token is missing, wrong, expired or used.');
}
