import * as z from 'zod/mini';
import type { Refusal } from '../contract/basic-credentials.ts';
import { ACCESS_TOKEN_SECONDS, CLOCK_SKEW_SECONDS, REFRESH_TOKEN_SECONDS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { Scope } from '../contract/routes.ts';
import { RecordTaken } from '../idempotency/commit.ts';
import { isSameRequest } from '../idempotency/identity.ts';
import { type Attempt, runIdempotent } from '../idempotency/run-idempotent.ts';
import { hashOf } from '../records/keys.ts';
import { asUnavailable, type Key, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import type { AuthDeps } from './authenticate.ts';
import { type CredentialIds, CredentialsRefused } from './credentials-refused.ts';
import type { KeyUse, Principal } from './key-directory.ts';
import { requireRate } from './rate-limit.ts';
import { type SigningKey, signingKeyAt } from './signing-keys.ts';
import { addFamily, type Family, familyKey, familyRefusal, findFamilyRefusal, readFamily } from './token-family.ts';
import { signingKeyIdOf, signToken, type TokenSubject, verifyToken } from './tokens.ts';

/** An access token. */
export interface AccessToken {
  readonly accessToken: string;
  /** Seconds until the access token expires. */
  readonly expiresIn: number;
  /** The company, the API key and the token family of the token, and the scopes to which it is limited. */
  readonly subject: Omit<TokenSubject, 'generation'>;
}

/** An access token and a refresh token. The refresh token can be exchanged once for the next pair. */
export interface TokenPair extends AccessToken {
  readonly refreshToken: string;
}

/** The values that determine a token pair. The record of a refresh keeps them, so that a retry gets the same pair. */
const PairRecord = recordOf(() => ({ generation: z.int(), issuedAtMs: z.int(), signingKeyId: z.string() }));
type PairRecord = z.infer<typeof PairRecord>;

/** The idempotency key of a token refresh, with its lease and a callback. */
interface RefreshIdempotency {
  readonly key: string;
  /** How long this attempt may take, in milliseconds. */
  readonly leaseMs: number;
  /** Called if the returned pair comes from an earlier request with the same key. */
  readonly replayed: () => void;
}

/**
 * Issues the first token pair of a sign-in. If the API key already has 100 live sign-ins (`MAX_FAMILIES`), the oldest
 * sign-in ends.
 * @param principal the company and the API key, which is verified already
 * @throws {Problem} `rate-limited` or `unavailable`
 */
export async function issueFirstPair(deps: AuthDeps, { companyId, keyId }: Principal): Promise<TokenPair> {
  await requireRate(deps.rate, companyId);
  const subject = { companyId, keyId, familyId: deps.newId() };
  const record = await newPairRecord(deps, 1);
  await startFamily(deps, subject, record, familyEndMs(record));
  return makePair(deps, subject, record);
}

/**
 * Issues an access token without a refresh token. Like `issueFirstPair`, it counts as a sign-in, but it ends with its
 * access token.
 * @param principal the company and the API key, which is verified already
 * @param scopes the scopes to which the token is limited. Without it, the token has the scopes of the key
 * @throws {Problem} `rate-limited` or `unavailable`
 */
export async function issueAccessToken(
  deps: AuthDeps,
  { companyId, keyId }: Principal,
  scopes?: readonly Scope[],
): Promise<AccessToken> {
  await requireRate(deps.rate, companyId);
  const subject = { companyId, keyId, familyId: deps.newId(), scopes };
  const record = await newPairRecord(deps, 1);
  await startFamily(deps, subject, record, familyEndMs(record, ACCESS_TOKEN_SECONDS));
  return makeAccessToken(deps, subject, record, await signingKeyOf(deps, subject, record));
}

/** Adds the token family of a new sign-in. */
async function startFamily(
  { store, now }: AuthDeps,
  subject: TokenPair['subject'],
  record: PairRecord,
  expiresAtMs: number,
): Promise<void> {
  const { companyId, keyId } = subject;
  const live: Family = { state: 'live', keyId, generation: 1 };
  const evicted: Family = { state: 'evicted', keyId };
  for (;;) {
    const added = await addFamily(store, subject, { untilMs: expiresAtMs, nowMs: now() });
    const evictions = added.evicted.map((familyId): Write => {
      // The record outlives the last token of the evicted family, even if the family was refreshed a moment ago.
      const key = familyKey({ companyId, familyId });
      return { kind: 'put', key, data: evicted, expiresAtMs: familyEndMs(record) };
    });
    const insert: Write = { kind: 'insert', key: familyKey(subject), data: live, expiresAtMs };
    // After an unknown outcome, the client can sign in again: nobody has received a token.
    const commit = await store
      .commit({ writes: [added.write, insert, ...evictions], usesReserve: true })
      .catch(asUnavailable('Segue cannot create a token at the moment.'));
    if (commit.ok) return;
    if (commit.refused !== 0) throw new RangeError('The new family id exists already');
  }
}

/**
 * Exchanges a refresh token for the next token pair. A refresh token works once. A second use may mean that the token
 * was stolen. Segue cannot tell the thief from the owner, so it revokes all tokens of the sign-in. A retry with the
 * same idempotency key is not a second use.
 * @throws {CredentialsRefused} if the token is wrong, expired or used, or its API key is no longer active
 * @throws {Problem} `rate-limited`; with an idempotency key also `request-in-progress`, `idempotency-key-reused`
 */
export async function refreshPair(
  deps: AuthDeps,
  { refreshToken, address }: { readonly refreshToken: string; readonly address: string | undefined },
  idempotency?: RefreshIdempotency,
): Promise<TokenPair> {
  const { store, now } = deps;
  const use = { address, nowMs: now() };
  const token = await verifyRefreshToken(deps, refreshToken, use);
  await requireRate(deps.rate, token.companyId);
  if (!idempotency) return makePair(deps, token, await advanceFamily(deps, token));
  const identity = { operation: 'refresh', fingerprint: hashOf(refreshToken) };
  const key: Key = { ...familyKey(token), sort: `refresh/${hashOf(idempotency.key)}` };
  const outcome = await runIdempotent({ storage: store, key, identity, now, leaseMs: idempotency.leaseMs }, (attempt) =>
    advanceFamily(deps, token, attempt),
  );
  if (outcome.kind === 'done') return makePair(deps, token, outcome.value);
  if (!isSameRequest(outcome.identity, identity)) {
    throw new Problem('idempotency-key-reused', {
      detail: 'This Idempotency-Key was used with another refresh token. Use a new Idempotency-Key.',
    });
  }
  const refusal = await findFamilyRefusal(store, token);
  if (refusal) throw refused(refusal, token);
  idempotency.replayed();
  return makePair(deps, token, PairRecord.parse(outcome.result));
}

async function verifyRefreshToken(
  { keys, signingKeys }: AuthDeps,
  refreshToken: string,
  use: KeyUse,
): Promise<TokenSubject> {
  const currentKeys = await signingKeys(signingKeyIdOf('refresh', refreshToken));
  try {
    const token = await verifyToken('refresh', refreshToken, currentKeys, use.nowMs);
    await keys.findActiveKey(token.companyId, token.keyId, use);
    return token;
  } catch (error) {
    throw error instanceof CredentialsRefused ? refused(error.refusal, error.ids) : error;
  }
}

/** Moves a token's family to its next generation. If the token was used before, it revokes the family. */
async function advanceFamily(deps: AuthDeps, token: TokenSubject, claim?: Attempt): Promise<PairRecord> {
  const { store } = deps;
  const key = familyKey(token);
  for (;;) {
    const item = await store.read(key);
    const family = item && readFamily(item);
    const refusal = familyRefusal(family, token);
    if (!item || refusal || family?.state !== 'live') throw refused(refusal ?? 'ended-family', token);
    const isUsed = family.generation !== token.generation;
    const record = await newPairRecord(deps, token.generation + 1);
    const { generation: _, ...kept } = family;
    const data: Family = isUsed ? { ...kept, state: 'revoked' } : { ...family, generation: record.generation };
    const change: Write = { kind: 'replace', key, version: item.version, data, expiresAtMs: familyEndMs(record) };
    // The claim is the first write. It fails if another attempt with the same idempotency key has taken over.
    const own = claim ? [isUsed ? claim.held : claim.resultWrite(record)] : [];
    const commit = await store.commit({ writes: [...own, change], usesReserve: true });
    if (commit.ok && !isUsed) return record;
    if (commit.ok) throw refused('reused-token', token);
    if (claim && commit.refused === 0) throw new RecordTaken();
  }
}

async function newPairRecord({ signingKeys, now }: AuthDeps, generation: number): Promise<PairRecord> {
  const issuedAtMs = now();
  return { generation, issuedAtMs, signingKeyId: signingKeyAt(await signingKeys(), issuedAtMs).id };
}

/**
 * Creates the token pair of a record.
 * @throws {CredentialsRefused} if the key that signed the pair no longer exists: tokens of this key are refused
 */
async function makePair(deps: AuthDeps, subject: TokenPair['subject'], record: PairRecord): Promise<TokenPair> {
  const { companyId, keyId, familyId } = subject;
  const claims = { companyId, keyId, familyId, generation: record.generation };
  const key = await signingKeyOf(deps, subject, record);
  return {
    ...(await makeAccessToken(deps, { companyId, keyId, familyId }, record, key)),
    refreshToken: await signToken('refresh', claims, key, record.issuedAtMs),
  };
}

/** Creates the access token of a record, like `makePair`. */
async function makeAccessToken(
  { now }: AuthDeps,
  subject: AccessToken['subject'],
  { generation, issuedAtMs }: PairRecord,
  key: SigningKey,
): Promise<AccessToken> {
  return {
    subject,
    accessToken: await signToken('access', { ...subject, generation }, key, issuedAtMs),
    expiresIn: Math.max(0, ACCESS_TOKEN_SECONDS - Math.floor((now() - issuedAtMs) / 1_000)),
  };
}

/** Returns the key that signs the tokens of a record. @throws {CredentialsRefused} if the key was dropped */
async function signingKeyOf(
  { signingKeys }: AuthDeps,
  subject: AccessToken['subject'],
  { signingKeyId }: PairRecord,
): Promise<SigningKey> {
  const key = (await signingKeys(signingKeyId)).find(({ id }) => id === signingKeyId);
  if (!key) throw refused('expired-token', subject);
  return key;
}

/**
 * Returns when the last token of a family expires, in milliseconds since 1970.
 * @param lifetime the lifetime of that token, in seconds
 */
function familyEndMs({ issuedAtMs }: PairRecord, lifetime = REFRESH_TOKEN_SECONDS): number {
  return issuedAtMs + (lifetime + 2 * CLOCK_SKEW_SECONDS) * 1_000;
}

function refused(refusal: Refusal, ids: CredentialIds): CredentialsRefused {
  return new CredentialsRefused(
    refusal,
    ids,
    'The refresh token is missing, wrong, expired or already used. Obtain a new token with your API key.',
  );
}
