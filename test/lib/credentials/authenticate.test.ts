import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import type { Scope } from '../../../lib/contract/routes.ts';
import { hashApiKey } from '../../../lib/credentials/api-key.ts';
import { type AuthDeps, authenticate } from '../../../lib/credentials/authenticate.ts';
import { CredentialsRefused } from '../../../lib/credentials/credentials-refused.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { issueAccessToken, issueFirstPair, refreshPair } from '../../../lib/credentials/token-pair.ts';
import { signToken } from '../../../lib/credentials/tokens.ts';
import { NOW_MS } from '../support.ts';
import { ADDRESS, authenticationWith, companyKey, keyTable, refusalOf, SIGNING_KEYS, sent } from './world.ts';
import { wrongTokens } from './wrong-tokens.ts';

const [acme, revoked] = [companyKey('acme'), companyKey('acme', { state: 'revoked' })];
const other = companyKey('other');
const scopes: readonly Scope[] = ['create', 'read'];
const principal = { companyId: 'acme', keyId: acme.keyId, keyVersion: 1, scopes };
const keys = storedKeys(keyTable([acme, revoked, other]).table);
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
    expect(await authenticate(header, ADDRESS, deps)).toEqual(principal);
  });

  it('limits an access token to the scopes that it was issued for, and that its key still has', async () => {
    const scopesOf = async (...scopes: Scope[]) => {
      const { accessToken } = await issueAccessToken(deps, principal, scopes);
      return (await authenticate(`Bearer ${accessToken}`, ADDRESS, deps)).scopes;
    };
    expect([await scopesOf('read'), await scopesOf('read', 'create'), await scopesOf('read', 'manage')]).toEqual([
      ['read'],
      ['create', 'read'],
      ['read'],
    ]);
    const { accessToken } = await issueAccessToken(deps, principal);
    expect(await authenticate(`Bearer ${accessToken}`, ADDRESS, deps)).toEqual(principal);
  });

  it.each([`Bearer ${acme.apiKey}`, `bearer   ${acme.apiKey} `])(
    'accepts an API key alone without the signing keys',
    async (header) => {
      const signingKeys: AuthDeps['signingKeys'] = () => Promise.reject(new Error('The signing keys are not needed'));
      expect(await authenticate(header, ADDRESS, { ...deps, signingKeys })).toEqual(principal);
    },
  );

  it.each([
    ['a revoked API key', `Bearer ${revoked.apiKey}`, 'revoked'],
    ['an unknown API key', `Bearer ${companyKey('acme').apiKey}`, 'unknown-key'],
    ['a padded API key', `Bearer ${acme.apiKey}=`, 'malformed-key'],
    ['a part of an API key', `Bearer ${acme.apiKey.slice(1)}`, 'malformed-key'],
    ['the id of an API key', `Bearer ${acme.keyId}`, 'malformed-key'],
    ['a token of a revoked key', `Bearer ${late.accessToken}`, 'revoked'],
    ['nothing', '', 'missing'],
    ['a scheme alone', 'Bearer', 'malformed'],
    ['a token alone', own.accessToken, 'malformed'],
    ['another scheme', `Token ${own.accessToken}`, 'malformed'],
    ['a token and more', `Bearer ${own.accessToken} x`, 'malformed'],
    ['two schemes', `${basicHeader(acme)}, Bearer ${own.accessToken}`, 'malformed'],
  ])('refuses %s', async (_, header, refusal) => {
    expect(await refusalOf(authenticate(header, ADDRESS, deps))).toBe(refusal);
  });
});

const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');
const basic = (company: string, apiKey: string) => `Basic ${base64(`${company}:${apiKey}`)}`;
const { apiKey } = acme;
const right = base64(`acme:${apiKey}`);

it.each([
  ['twice in one header', `Basic ${right}, Basic ${right}`],
  ['a tab after the scheme', `Basic\t${right}`],
  ['base64 of base64', `Basic ${base64(right)}`],
  ['a letter of URL-safe base64', `Basic -${right.slice(1)}`],
  ['unused bits', basic('acme', apiKey).replace(/[^=](?==*$)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))],
  ['too much padding', `Basic ${right}==`],
  ['a space in the middle', `Basic ${right.slice(0, 8)} ${right.slice(8)}`],
  ['a parameter', `Basic ${right}, realm="segue"`],
  ['UTF-16', `Basic ${base64(`acme:${apiKey}`, 'utf16le')}`],
  ['a byte order mark', basic('\uFEFFacme', apiKey)],
  ['NUL after the key', basic('acme', `${apiKey}\0`)],
  ['a newline after the key', basic('acme', `${apiKey}\n`)],
  ['a space before the key', basic('acme', ` ${apiKey}`)],
  ['the company in another case', basic('ACME', apiKey)],
  ['the key in upper case', basic('acme', apiKey.toUpperCase())],
  ['the hash of the key', basic('acme', hashApiKey(apiKey))],
  ['another company’s key', basic('acme', other.apiKey)],
  ['a path for a company', basic('x/../acme', apiKey)],
  ['a property of every object for a company', basic('__proto__', apiKey)],
])('wrong Basic credentials are refused: %s', async (_, header) => {
  await expect(authenticate(header, ADDRESS, deps)).rejects.toBeInstanceOf(CredentialsRefused);
});

describe('a key that is limited', () => {
  const expiring = companyKey('acme', { expiresAtUtc: new Date(NOW_MS).toISOString() });
  const office = companyKey('acme', { networks: ['198.51.100.0/24', '2001:db8::/32'] });
  const keysOf = storedKeys(keyTable([expiring, office]).table);
  const [inOffice, elsewhere] = ['198.51.100.9', ADDRESS];

  /** Returns the verdict about a key and its tokens, at a time and from an address. */
  async function verdicts(key: typeof office, nowMs: number, address: string | undefined) {
    const at = authenticationWith(keysOf, { now: () => nowMs });
    const pair = await issueFirstPair(at, { ...key, scopes: [] });
    return Promise.all([
      refusalOf(authenticate(basicHeader(key), address, at)),
      refusalOf(authenticate(`Bearer ${key.apiKey}`, address, at)),
      refusalOf(authenticate(`Bearer ${pair.accessToken}`, address, at)),
      refusalOf(refreshPair(at, { refreshToken: pair.refreshToken, address })),
    ]);
  }

  it('is refused from the moment of its expiry on, with its tokens', async () => {
    expect(new Set(await verdicts(expiring, NOW_MS - 1, elsewhere))).toEqual(new Set(['good']));
    expect(new Set(await verdicts(expiring, NOW_MS, elsewhere))).toEqual(new Set(['expired-key']));
  });

  it('is refused outside of its networks, with its tokens', async () => {
    expect(new Set(await verdicts(office, NOW_MS, inOffice))).toEqual(new Set(['good']));
    for (const address of [elsewhere, undefined]) {
      expect(new Set(await verdicts(office, NOW_MS, address))).toEqual(new Set(['other-network']));
    }
  });

  it('shows the suspension of its company only to those who could use it otherwise', async () => {
    const suspended = { state: 'suspended' as const, networks: ['198.51.100.0/24'] };
    const [key, expired] = [
      companyKey('acme', suspended),
      companyKey('acme', { ...suspended, expiresAtUtc: '2020-01-01T00:00:00Z' }),
    ];
    const at = authenticationWith(storedKeys(keyTable([key, expired]).table));
    const refusals = [key, expired].flatMap((each) =>
      [inOffice, elsewhere].map((address) => refusalOf(authenticate(basicHeader(each), address, at))),
    );
    expect(await Promise.all(refusals)).toEqual(['suspended', 'other-network', 'expired-key', 'expired-key']);
  });
});

it('a token of one key is refused under the name of another key of the company', async () => {
  const another = companyKey('acme');
  const at = authenticationWith(storedKeys(keyTable([acme, another]).table));
  const pair = await issueFirstPair(at, { ...acme, scopes: [] });
  const subject = { ...pair.subject, generation: 1, keyId: another.keyId };
  const [accessToken, refreshToken] = await Promise.all(
    (['access', 'refresh'] as const).map((kind) => signToken(kind, subject, SIGNING_KEYS[0], NOW_MS)),
  );
  expect(await refusalOf(authenticate(`Bearer ${accessToken}`, ADDRESS, at))).toBe('wrong-token');
  expect(await refusalOf(refreshPair(at, sent(refreshToken ?? '')))).toBe('wrong-token');
  expect(await refusalOf(authenticate(`Bearer ${pair.accessToken}`, ADDRESS, at))).toBe('good');
});

await refreshPair(deps, sent(ended.refreshToken));
await refusalOf(refreshPair(deps, sent(ended.refreshToken)));
const common = { signingKey: SIGNING_KEYS[0], now: NOW_MS / 1_000 };

const WRONG = (['accessToken', 'refreshToken'] as const).flatMap((kind) => {
  const otherKind = kind === 'accessToken' ? own.refreshToken : own.accessToken;
  const same = { good: own[kind], otherCompany: foreign[kind], revoked: late[kind], ended: ended[kind] };
  const wrong = wrongTokens({ ...common, ...same, otherKind });
  return Object.entries(wrong).map(([what, token]) => [kind, what, token] as const);
});

it.each(WRONG)('a wrong %s is refused: %s', async (kind, _, token) => {
  const work = kind === 'accessToken' ? authenticate(`Bearer ${token}`, ADDRESS, deps) : refreshPair(deps, sent(token));
  await expect(work).rejects.toBeInstanceOf(CredentialsRefused);
});
