import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import * as z from 'zod/mini';
import { Unauthenticated } from './refusal.ts';
import type { SigningKey, SigningKeys } from './signing-keys.ts';
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS, SKEW_SECONDS } from './token-times.ts';

const ISSUER = 'segue';
const ALGORITHM = 'HS256';
const LONGEST_TOKEN = 8_192;

/** The kinds of token: one never passes for the other, by its type and its audience. */
const KINDS = {
  access: { typ: 'at+jwt', audience: 'segue-api', seconds: ACCESS_TOKEN_SECONDS },
  refresh: { typ: 'rt+jwt', audience: 'segue-tokens', seconds: REFRESH_TOKEN_SECONDS },
} as const;
export type TokenKind = keyof typeof KINDS;

/** What a token says: which key obtained it, and which of the family's it is. What the key may do is looked up at each use. */
export interface TokenSubject {
  readonly companyId: string;
  readonly keyId: string;
  /** Tokens that come of one sign-in are a family: with one that is stolen, all end. */
  readonly familyId: string;
  /** 1 for the first tokens of a family, one more at every refresh. */
  readonly generation: number;
}

/** Nothing that would have to be understood, such as `crit`. */
const Header = z.strictObject({ alg: z.string(), typ: z.string(), kid: z.string() });
const Claims = z.object({ sub: z.string(), client_id: z.string(), sid: z.string(), gen: z.int() });

/**
 * Makes a token (RFC 9068 where it is an access token). The same subject, key and time make the same token.
 * @param issuedAtMs milliseconds since 1970
 */
export function issueToken(
  kind: TokenKind,
  { companyId, keyId, familyId, generation }: TokenSubject,
  key: SigningKey,
  issuedAtMs: number,
): Promise<string> {
  const { typ, audience, seconds } = KINDS[kind];
  const issuedAt = Math.floor(issuedAtMs / 1_000);
  return new SignJWT({ client_id: keyId, sid: familyId, gen: generation })
    .setProtectedHeader({ alg: ALGORITHM, typ, kid: key.id })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(companyId)
    .setJti(`${familyId}.${generation}`)
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt)
    .setExpirationTime(issuedAt + seconds)
    .sign(key.secret);
}

/** The key that a token says it was signed with; `undefined` where its header is none of ours. Nothing of it is proved. */
export function keyIdOf(kind: TokenKind, token: string): string | undefined {
  if (token.length > LONGEST_TOKEN) return undefined;
  try {
    const [header = ''] = token.split('.', 1);
    const { alg, typ, kid } = Header.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
    return alg === ALGORITHM && typ === KINDS[kind].typ ? kid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a token of which every part must be right (RFC 8725: one algorithm, ours, never the token's).
 * @throws {Unauthenticated}
 */
export async function readToken(
  kind: TokenKind,
  token: string,
  keys: SigningKeys,
  nowMs: number,
): Promise<TokenSubject> {
  if (token.length > LONGEST_TOKEN) throw new Unauthenticated('malformed');
  const { typ, audience } = KINDS[kind];
  try {
    const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => secretOf(keys, kid), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience,
      typ,
      requiredClaims: ['exp', 'nbf'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(nowMs),
    });
    Header.parse(protectedHeader);
    if (isWrittenAsOurs(token)) return subjectOf(Claims.parse(payload));
  } catch (error) {
    const expired = Expired.safeParse(error);
    if (expired.success) throw new Unauthenticated('expired-token', subjectOf(expired.data.payload));
  }
  throw new Unauthenticated(isJwt(token) ? 'wrong-token' : 'malformed');
}

/** jose checks the signature before the times, so the claims of an expired token are proved. */
const Expired = z.object({ code: z.literal('ERR_JWT_EXPIRED'), payload: Claims });

function subjectOf({ sub, client_id, sid, gen }: z.infer<typeof Claims>): TokenSubject {
  return { companyId: sub, keyId: client_id, familyId: sid, generation: gen };
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

/**
 * Whether a token is written in the one way in which ours are: base64url without padding or bits to spare, and JSON in
 * which nothing stands twice.
 */
function isWrittenAsOurs(token: string): boolean {
  const parts = token.split('.').map((part) => Buffer.from(part, 'base64url'));
  const texts = parts.slice(0, 2).map(String);
  return (
    parts.map((bytes) => bytes.toString('base64url')).join('.') === token &&
    texts.every((text) => JSON.stringify(JSON.parse(text)) === text)
  );
}

function secretOf(keys: SigningKeys, id: string | undefined): Uint8Array {
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) throw new RangeError('The token names no key of ours');
  return key.secret;
}
