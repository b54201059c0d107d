import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { SigningKeys } from './signing-keys.ts';

export const ACCESS_TOKEN_SECONDS = 1_800;
const ISSUER = 'segue';
const AUDIENCE = 'segue-api';
const TYPE = 'at+jwt';
const ALGORITHM = 'HS256';
const LONGEST_TOKEN = 8_192;
const SKEW_SECONDS = 60;

/** What an access token says: the key that obtained it. What that key may do is looked up when the token is used. */
export interface TokenSubject {
  readonly companyId: string;
  readonly keyId: string;
}

/** Makes an access token (RFC 9068), signed with the newest key. */
export async function issueAccessToken(
  subject: TokenSubject,
  keys: SigningKeys,
  nowMs: number,
  tokenId: string,
): Promise<string> {
  const [key] = keys;
  if (!key) throw new RangeError('There is no signing key');
  const seconds = Math.floor(nowMs / 1_000);
  return new SignJWT({ client_id: subject.keyId })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.id })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(subject.companyId)
    .setJti(tokenId)
    .setIssuedAt(seconds)
    .setNotBefore(seconds)
    .setExpirationTime(seconds + ACCESS_TOKEN_SECONDS)
    .sign(key.secret);
}

/** Reads an access token; `undefined` unless every part of it is right (RFC 8725: one algorithm, ours, never the token's). */
export async function readAccessToken(
  token: string,
  keys: SigningKeys,
  nowMs: number,
): Promise<TokenSubject | undefined> {
  if (token.length > LONGEST_TOKEN) return undefined;
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => secretOf(keys, kid), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ['exp', 'nbf', 'sub', 'client_id'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(nowMs),
    });
    const { sub: companyId, client_id: keyId } = payload;
    return companyId !== undefined && typeof keyId === 'string' ? { companyId, keyId } : undefined;
  } catch {
    return undefined;
  }
}

function secretOf(keys: SigningKeys, id: string | undefined): Uint8Array {
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) throw new RangeError('The token names no key of ours');
  return key.secret;
}
