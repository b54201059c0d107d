import { SignJWT } from 'jose/jwt/sign';
import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN_SECONDS } from '../../../lib/credentials/token-lifetimes.ts';
import { verifyToken as proveToken, signToken } from '../../../lib/credentials/tokens.ts';
import { Unauthenticated } from '../../../lib/credentials/unauthenticated.ts';
import { NOW_MS } from '../support.ts';
import { SIGNING_KEYS } from './world.ts';

const subject = { companyId: 'acme', keyId: 'key-1', familyId: 'family-1', generation: 1 };
const NOW = NOW_MS / 1_000;
const [newest, older] = SIGNING_KEYS;

/** A token as it is read; `undefined` for one that is refused. */
const verifyToken = (...args: Parameters<typeof proveToken>) =>
  proveToken(...args).catch((error: unknown) => {
    if (error instanceof Unauthenticated) return undefined;
    throw error;
  });

const issue = () => signToken('access', subject, newest, NOW_MS);
const read = (token: string, atSeconds = NOW) => verifyToken('access', token, SIGNING_KEYS, atSeconds * 1_000);

/** A token as ours are, but for what is given; a claim given as `undefined` is left out. */
function forge(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}, secret = newest.secret) {
  const payload = {
    client_id: 'key-1',
    sid: 'family-1',
    gen: 1,
    iss: 'segue',
    aud: 'segue-api',
    sub: 'acme',
    iat: NOW,
    nbf: NOW,
    exp: NOW + 60,
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'new', ...header })
    .sign(secret);
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token', () => {
  it('says who it is for, and nothing else about them', async () => {
    const token = await issue();
    expect(await read(token)).toEqual(subject);
    const [header, payload] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: 'new' });
    expect(Object.keys(payload).sort()).toEqual([
      'aud',
      'client_id',
      'exp',
      'gen',
      'iat',
      'iss',
      'jti',
      'nbf',
      'sid',
      'sub',
    ]);
    expect(payload.exp - payload.iat).toBe(1_800);
  });

  it.each([
    ['is not good more than a minute before it begins', -61, false],
    ['is good on a clock that is a minute behind', -60, true],
    ['is good until it expires', ACCESS_TOKEN_SECONDS - 1, true],
    ['is good on a clock that is nearly a minute behind its expiry', ACCESS_TOKEN_SECONDS + 59, true],
    ['is not good a minute after it expired', ACCESS_TOKEN_SECONDS + 60, false],
    ['is not good a day later', 86_400, false],
  ])('%s', async (_, offSeconds, good) => {
    expect(await read(await issue(), NOW + offSeconds)).toEqual(good ? subject : undefined);
  });

  it('is good with an older key of ours, as long as that is kept', async () => {
    const token = await signToken('access', subject, older, NOW_MS);
    expect(await read(token)).toEqual(subject);
    expect(await verifyToken('access', token, [newest], NOW_MS)).toBeUndefined();
  });

  it('is read where only what a test changes is changed', async () => {
    expect(await read(await forge())).toEqual(subject);
  });

  it.each<[string, Parameters<typeof forge>]>([
    ['of another issuer', [{ iss: 'other' }]],
    ['without an issuer', [{ iss: undefined }]],
    ['for another audience', [{ aud: 'other-api' }]],
    ['without an audience', [{ aud: undefined }]],
    ['that never expires', [{ exp: undefined }]],
    ['that has no beginning', [{ nbf: undefined }]],
    ['for nobody', [{ sub: undefined }]],
    ['of no key', [{ client_id: undefined }]],
    ['of a key that is no text', [{ client_id: 5 }]],
    ['of no family', [{ sid: undefined }]],
    ['of no generation', [{ gen: '1' }]],
    ['of another type', [{}, { typ: 'JWT' }]],
    ['that refreshes', [{}, { typ: 'rt+jwt' }]],
    ['for the audience of refreshing', [{ aud: 'segue-tokens' }]],
    ['of no type', [{}, { typ: undefined }]],
    ['of a key that is not ours', [{}, { kid: 'other' }]],
    ['without a key id', [{}, { kid: undefined }]],
    ['signed with HS512', [{}, { alg: 'HS512' }, new Uint8Array(64).fill(1)]],
    ['signed with another key of ours than it says', [{}, { kid: 'old' }]],
    ['with a critical extension', [{}, { crit: ['b64'], b64: true }]],
    ['that brings along its own key', [{}, { jwk: { kty: 'oct' } }]],
    ['longer than 8 KB', [{ padding: 'x'.repeat(8_192) }]],
  ])('%s is none', async (_, changes) => {
    expect(await read(await forge(...changes))).toBeUndefined();
  });

  it('signed with our secret and HS512 is none', async () => {
    const long = [{ ...newest, secret: new Uint8Array(64).fill(1) }];
    const token = await forge({}, { alg: 'HS512' }, long[0]?.secret);
    expect(await verifyToken('access', token, long, NOW_MS)).toBeUndefined();
  });

  it('without a signature is none, whatever it says of itself', async () => {
    const [header, payload, signature] = (await issue()).split('.');
    for (const alg of ['none', 'None', 'HS256']) {
      expect(await read(`${encode({ alg, typ: 'at+jwt', kid: 'new' })}.${payload}.`)).toBeUndefined();
    }
    expect(await read(`${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.${signature}`)).toBeUndefined();
    expect(await read(`${header}.${encode({ sub: 'other' })}.${signature}`)).toBeUndefined();
  });

  it.each(['', '.', '..', 'a.b.c', 'x'.repeat(8_193)])('is none in %j', async (token) => {
    expect(await read(token)).toBeUndefined();
  });

  it('is none with any letter of its signature changed', async () => {
    const token = await issue();
    const start = token.lastIndexOf('.') + 1;
    for (let at = start; at < token.length; at++) {
      // The next one: of the last letter only bits change that stand for nothing.
      const letter = String.fromCharCode(token.charCodeAt(at) + 1);
      expect(await read(token.slice(0, at) + letter + token.slice(at + 1))).toBeUndefined();
    }
  });
});
