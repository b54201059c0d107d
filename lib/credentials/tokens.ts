import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import * as z from 'zod/mini';
import { ACCESS_TOKEN_SECONDS, CLOCK_SKEW_SECONDS, REFRESH_TOKEN_SECONDS } from '../contract/limits.ts';
import { type Scope, scopesIn } from '../contract/routes.ts';
import { CredentialsRefused } from './credentials-refused.ts';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

const ISSUER = 'segue';
const ALGORITHM = 'HS256';
const MAX_TOKEN_CHARACTERS = 8_192;

/** The kinds of tokens. Their types and audiences differ, so that one kind is never accepted as the other. */
const KINDS = {
  access: { typ: 'at+jwt', audience: 'segue-api', seconds: ACCESS_TOKEN_SECONDS },
  refresh: { typ: 'rt+jwt', audience: 'segue-tokens', seconds: REFRESH_TOKEN_SECONDS },
} as const;
type TokenKind = keyof typeof KINDS;

/**
 * The claims of a token. They do not contain the scopes of its API key: Segue looks up the scopes at each use. An access
 * token may have fewer scopes than its key.
 */
export interface TokenSubject {
  readonly companyId: string;
  readonly keyId: string;
  /** The id of the token family, which is all tokens of one sign-in. If a token is stolen, the whole family ends. */
  readonly familyId: string;
  /** The number of the token's pair in its family: 1 for the first pair, one more after each refresh. */
  readonly generation: number;
  /** The scopes to which the token is limited. Without this field, it has the scopes of its key. */
  readonly scopes?: readonly Scope[] | undefined;
}

/** The schema of a token's header. It is strict, so that a header with extensions such as `crit` is refused. */
const Header = z.strictObject({ alg: z.string(), typ: z.string(), kid: z.string() });
const Claims = z.object({
  sub: z.string(),
  client_id: z.string(),
  sid: z.string(),
  gen: z.int(),
  scope: z.optional(z.string()),
});

/**
 * Creates a signed token. An access token follows RFC 9068. The same arguments give the same token.
 * @param issuedAtMs milliseconds since 1970
 */
export function signToken(
  kind: TokenKind,
  { companyId, keyId, familyId, generation, scopes }: TokenSubject,
  key: SigningKey,
  issuedAtMs: number,
): Promise<string> {
  const { typ, audience, seconds } = KINDS[kind];
  const issuedAt = Math.floor(issuedAtMs / 1_000);
  return new SignJWT({ client_id: keyId, sid: familyId, gen: generation, ...(scopes && { scope: scopes.join(' ') }) })
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

/**
 * Returns the id of the signing key in a token's header, without verifying it. Returns `undefined` if the token cannot
 * be from Segue.
 */
export function signingKeyIdOf(kind: TokenKind, token: string): string | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
  try {
    const [header = ''] = token.split('.', 1);
    const { alg, typ, kid } = Header.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
    return alg === ALGORITHM && typ === KINDS[kind].typ ? kid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Verifies a token and returns its claims. The algorithm is fixed, whatever the token's header says (RFC 8725).
 * @throws {CredentialsRefused} if the token is wrong or has expired
 */
export async function verifyToken(
  kind: TokenKind,
  token: string,
  keys: SigningKeys,
  nowMs: number,
): Promise<TokenSubject> {
  if (token.length > MAX_TOKEN_CHARACTERS) throw new CredentialsRefused('malformed-key');
  const { typ, audience } = KINDS[kind];
  try {
    const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => secretOf(keys, kid), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience,
      typ,
      requiredClaims: ['exp', 'nbf'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(nowMs),
    });
    Header.parse(protectedHeader);
    if (isCanonical(token)) return subjectOf(Claims.parse(payload));
  } catch (error) {
    const expired = Expired.safeParse(error);
    if (expired.success) throw new CredentialsRefused('expired-token', subjectOf(expired.data.payload));
  }
  throw new CredentialsRefused(isJwt(token) ? 'wrong-token' : 'malformed-key');
}

/**
 * The error of the library jose for an expired token. jose verifies the signature before it checks the times, so the
 * claims in this error are verified.
 */
const Expired = z.object({ code: z.literal('ERR_JWT_EXPIRED'), payload: Claims });

function subjectOf({ sub, client_id, sid, gen, scope }: z.infer<typeof Claims>): TokenSubject {
  const subject = { companyId: sub, keyId: client_id, familyId: sid, generation: gen };
  return scope === undefined ? subject : { ...subject, scopes: scopesIn(scope) };
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

/**
 * Checks that a token is encoded as Segue encodes it: base64url without padding or surplus bits, and compact JSON
 * without duplicate names.
 */
function isCanonical(token: string): boolean {
  const parts = token.split('.').map((part) => Buffer.from(part, 'base64url'));
  const texts = parts.slice(0, 2).map(String);
  return (
    parts.map((bytes) => bytes.toString('base64url')).join('.') === token &&
    texts.every((text) => JSON.stringify(JSON.parse(text)) === text)
  );
}

function secretOf(keys: SigningKeys, id: string | undefined): Uint8Array {
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) throw new RangeError('The token names an unknown key');
  return key.secret;
}
