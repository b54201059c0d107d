import { createHmac, generateKeyPairSync, sign as signRsa } from 'node:crypto';
import { CLOCK_SKEW_SECONDS } from '../../../lib/contract/limits.ts';
import type { SigningKey } from '../../../lib/credentials/signing-keys.ts';

type Values = Readonly<Record<string, unknown>>;
type Parts = Readonly<Record<'header' | 'claims', Values>>;

const encode = (text: string) => Buffer.from(text).toString('base64url');

/** Decodes a token. */
export function partsOf(token: string): Parts {
  const [header, claims] = token
    .split('.', 2)
    .map((part): Values => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header: header ?? {}, claims: claims ?? {} };
}

/** Returns a token of two texts, which need not be JSON. */
function sign(header: string, claims: string, secret: Uint8Array, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** Returns functions that create tokens like a given one, signed with the right secret. */
export function forger(token: string, { secret }: SigningKey) {
  const { header, claims } = partsOf(token);
  return {
    /** Returns the token with some values changed. `undefined` removes a value. */
    forge: (changes: Partial<Parts> = {}, hash?: string) =>
      sign(
        JSON.stringify({ ...header, ...changes.header }),
        JSON.stringify({ ...claims, ...changes.claims }),
        secret,
        hash,
      ),
    /** Returns the token with its JSON text changed. */
    forgeText: (change: { readonly header?: (json: string) => string; readonly claims?: (json: string) => string }) => {
      const same = (json: string) => json;
      const { header: ofHeader = same, claims: ofClaims = same } = change;
      return sign(ofHeader(JSON.stringify(header)), ofClaims(JSON.stringify(claims)), secret);
    },
  };
}

/** Valid tokens and the signing key, from which wrong tokens are made. */
interface Tokens {
  /** A valid token. */
  readonly good: string;
  /** The other token of the same pair, which has the other kind. */
  readonly otherKind: string;
  /** A token of the same kind that belongs to another company. */
  readonly otherCompany: string;
  /** A token of the same kind whose API key was revoked. */
  readonly revoked: string;
  /** A token of the same kind whose family has ended. */
  readonly ended: string;
  readonly signingKey: SigningKey;
  /** The current time, in seconds since 1970. */
  readonly now: number;
}

/** Returns wrong tokens by their fault. Most are signed with the right secret. */
export function wrongTokens({ good, signingKey, now, ...others }: Tokens): Readonly<Record<string, string>> {
  const { forge, forgeText } = forger(good, signingKey);
  const [header = '', claims = ''] = good.split('.');
  const [, , otherSignature] = others.otherCompany.split('.');
  const { claims: own, header: ownHeader } = partsOf(good);
  const { claims: foreign } = partsOf(others.otherCompany);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const without = (alg: string) => encode(JSON.stringify({ ...ownHeader, alg }));
  const rsa = `${without('RS256')}.${claims}`;
  const gone = new TextEncoder().encode('a key that has left the set, long ago');
  return {
    'the algorithm none': `${without('none')}.${claims}.`,
    'the algorithm none, signed': forge({ header: { alg: 'none' } }),
    'the algorithm HS512': forge({ header: { alg: 'HS512' } }, 'sha512'),
    'the algorithm RS256 with the secret for its public key': forge({ header: { alg: 'RS256' } }),
    'the algorithm RS256 with an unknown key': `${rsa}.${signRsa('sha256', Buffer.from(rsa), privateKey).toString('base64url')}`,
    'a key of its own in its header': forgeOwnKey(ownHeader, own),
    'no type': forge({ header: { typ: undefined } }),
    'another type': forge({ header: { typ: 'JWT' } }),
    'no key id': forge({ header: { kid: undefined } }),
    'an unknown key id': forge({ header: { kid: '000000000000' } }),
    'a name of every object for a key id': forge({ header: { kid: '__proto__' } }),
    'a signing key that was dropped': sign(JSON.stringify({ ...ownHeader, kid: 'gone' }), JSON.stringify(own), gone),
    'a critical extension': forge({ header: { crit: ['exp'], exp: now } }),
    'no expiry': forge({ claims: { exp: undefined } }),
    'an expiry 61 seconds ago': forge({ claims: { exp: now - CLOCK_SKEW_SECONDS - 1 } }),
    'no beginning': forge({ claims: { nbf: undefined } }),
    // One minute more, because time passes until the token is read.
    'a beginning further off than clocks are apart': forge({ claims: { nbf: now + 2 * CLOCK_SKEW_SECONDS + 1 } }),
    'another issuer': forge({ claims: { iss: 'segue.example.com' } }),
    'another audience': forge({ claims: { aud: 'segue-reports' } }),
    'another company': forge({ claims: { sub: foreign['sub'] } }),
    'another company’s key': forge({ claims: { client_id: foreign['client_id'] } }),
    'a family that is not there': forge({ claims: { sid: '00000000-0000-4000-8000-000000000000' } }),
    'another company’s family': forge({ claims: { sid: foreign['sid'] } }),
    'no generation': forge({ claims: { gen: undefined } }),
    'claims that stand twice': forgeText({ claims: (json) => json.replace('{', `{"sub":"${foreign['sub']}",`) }),
    'a header that stands twice': forgeText({ header: (json) => json.replace('{', '{"alg":"none",') }),
    'claims that are no JSON': forgeText({ claims: (json) => json.slice(0, -1) }),
    'a byte order mark before its claims': forgeText({ claims: (json) => `\uFEFF${json}` }),
    'the signature of another token': `${header}.${claims}.${otherSignature}`,
    padding: `${good}=`,
    'the letters of plain base64': plainLetters(forge),
    'a last character with unused bits set': strayBits(good),
    'the other kind of token': others.otherKind,
    'the key that was revoked': others.revoked,
    'the family that ended': others.ended,
  };
}

/** Returns a token that contains the key to verify it with (RFC 8725, 3.10). */
function forgeOwnKey(header: object, claims: object): string {
  const secret = new Uint8Array(32).fill(7);
  const jwk = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
  return sign(JSON.stringify({ ...header, jwk, jku: 'https://example.com/keys.json' }), JSON.stringify(claims), secret);
}

/** Returns a token in the alphabet of plain base64, where that differs from base64url. */
function plainLetters(forge: (changes: Partial<Parts>) => string): string {
  for (let n = 0; ; n++) {
    const token = forge({ claims: { jti: `${n}` } });
    const plain = token.replaceAll('-', '+').replaceAll('_', '/');
    if (plain !== token) return plain;
  }
}

/** Returns the token with the unused bits of the signature's last character changed. */
function strayBits(token: string): string {
  return token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1);
}
