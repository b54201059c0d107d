import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/credentials.ts';
import { type AuthDeps, authenticate } from '../../../lib/credentials/authenticate.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { issueFirstPair, refreshPair } from '../../../lib/credentials/token-pair.ts';
import { Unauthenticated } from '../../../lib/credentials/unauthenticated.ts';
import { NOW_MS } from '../support.ts';
import { authenticationWith, companyKey, keyTable, refusalOf, SIGNING_KEYS } from './world.ts';
import { wrongBasic } from './wrong-basic.ts';
import { wrongTokens } from './wrong-tokens.ts';

const [acme, second, revoked] = [companyKey('acme'), companyKey('acme'), companyKey('acme', { state: 'revoked' })];
const other = companyKey('other');
const principal = { companyId: 'acme', keyId: acme.keyId, keyVersion: 1, scopes: ['create', 'read'] };
const keys = storedKeys(keyTable([acme, second, revoked, other]).table);
const deps = authenticationWith(keys);
const pairOf = (key: typeof acme) => issueFirstPair(deps, { ...key, scopes: [] });
const [own, late, foreign, ended] = [
  await pairOf(acme),
  await pairOf(revoked),
  await pairOf(other),
  await pairOf(acme),
];

describe('authenticate', () => {
  it.each([
    ['Basic credentials', basicHeader(acme)],
    ['an access token', `Bearer ${own.accessToken}`],
    ['an access token after more spaces', `bearer   ${own.accessToken} `],
  ])('accepts %s', async (_, header) => {
    expect(await authenticate(header, deps)).toEqual(principal);
  });

  it.each([`Bearer ${acme.apiKey}`, `bearer   ${acme.apiKey} `])(
    'accepts an API key alone without the signing keys',
    async (header) => {
      const signingKeys: AuthDeps['signingKeys'] = () => Promise.reject(new Error('The signing keys are not needed'));
      expect(await authenticate(header, { ...deps, signingKeys })).toEqual(principal);
    },
  );

  it.each([
    ['a revoked API key', `Bearer ${revoked.apiKey}`, 'revoked'],
    ['an unknown API key', `Bearer ${companyKey('acme').apiKey}`, 'unknown-key'],
    ['a padded API key', `Bearer ${acme.apiKey}=`, 'malformed'],
    ['a part of an API key', `Bearer ${acme.apiKey.slice(1)}`, 'malformed'],
    ['the id of an API key', `Bearer ${acme.keyId}`, 'malformed'],
    ['a token of a revoked key', `Bearer ${late.accessToken}`, 'revoked'],
    ['nothing', '', 'malformed'],
    ['a scheme alone', 'Bearer', 'malformed'],
    ['a token alone', own.accessToken, 'malformed'],
    ['another scheme', `Token ${own.accessToken}`, 'malformed'],
    ['a token and more', `Bearer ${own.accessToken} x`, 'malformed'],
    ['two schemes', `${basicHeader(acme)}, Bearer ${own.accessToken}`, 'malformed'],
  ])('refuses %s', async (_, header, refusal) => {
    expect(await refusalOf(authenticate(header, deps))).toBe(refusal);
  });
});

const partner = (key: typeof acme) => ({ ...key, authorization: basicHeader(key) });
const wrongHeaders = wrongBasic({
  acme: partner(acme),
  second: partner(second),
  other: partner(other),
  revoked: partner(revoked),
});
const texts = Object.entries(wrongHeaders).flatMap(([what, { Authorization: header }]) =>
  typeof header === 'string' ? [[what, header] as const] : [],
);

describe('wrong Basic credentials', () => {
  it.each(texts)('%s are refused', async (_, header) => {
    await expect(authenticate(header, deps)).rejects.toBeInstanceOf(Unauthenticated);
  });
});

await refreshPair(deps, ended.refreshToken);
await refusalOf(refreshPair(deps, ended.refreshToken));
const common = { signingKey: SIGNING_KEYS[0], now: NOW_MS / 1_000 };

describe('a wrong access token', () => {
  const tokens = wrongTokens({
    ...common,
    good: own.accessToken,
    otherKind: own.refreshToken,
    otherCompany: foreign.accessToken,
    revoked: late.accessToken,
    ended: ended.accessToken,
  });
  it.each(Object.entries(tokens))('with %s is refused', async (_, token) => {
    await expect(authenticate(`Bearer ${token}`, deps)).rejects.toBeInstanceOf(Unauthenticated);
  });
});

describe('a wrong refresh token', () => {
  const tokens = wrongTokens({
    ...common,
    good: own.refreshToken,
    otherKind: own.accessToken,
    otherCompany: foreign.refreshToken,
    revoked: late.refreshToken,
    ended: ended.refreshToken,
  });
  it.each(Object.entries(tokens))('with %s is refused', async (_, token) => {
    await expect(refreshPair(deps, token)).rejects.toBeInstanceOf(Unauthenticated);
  });
});
