import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readBasic } from '../../../lib/contract/credentials.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { accountOf, readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { READ } from '../../../lib/upstream/requests.ts';
import { readSettings, SettingsError } from '../../../local/settings.ts';
import { answer, inTurn, virtualClient } from './virtual-client.ts';
import { problemOf } from './world.ts';

const read = { operation: READ, path: '/segments/projects/1' };
const shared = { companyId: 'all-of-us', apiKey: 'shared-key' };
const own = { companyId: 'acme-itself', apiKey: 'own-key' };
const secret = { ...shared, companies: { acme: own } };

describe('the account of a company', () => {
  it('is its own if the secret has one', () => {
    expect(accountOf(readUpstreamCredentials(secret), 'acme')).toEqual({ account: own, isOwn: true });
  });

  it.each(['umbrella', 'ACME', 'constructor', '__proto__', 'toString'])('is the shared one: %s', (companyId) => {
    expect(accountOf(readUpstreamCredentials(secret), companyId)).toEqual({ account: shared, isOwn: false });
  });

  it('is the shared one if no company has its own', () => {
    expect(accountOf(readUpstreamCredentials(shared), 'acme')).toEqual({ account: shared, isOwn: false });
  });

  it('may use either scheme', () => {
    const bearer = { ...shared, scheme: 'bearer', companies: { acme: { ...own, scheme: 'basic' } } };
    const both = readUpstreamCredentials(bearer);
    expect(accountOf(both, 'acme').account.scheme).toBe('basic');
    expect(accountOf(both, 'umbrella').account.scheme).toBe('bearer');
  });

  it('is found in the secret that docs/upstream.md shows', () => {
    const page = readFileSync(new URL('../../../docs/upstream.md', import.meta.url), 'utf8');
    const [, shown = ''] = /^```json\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(accountOf(readUpstreamCredentials(JSON.parse(shown)), 'acme')).toEqual({
      account: { companyId: '<ITS_COMPANY_ID>', apiKey: '<ITS_API_KEY>' },
      isOwn: true,
    });
  });

  it.each([
    ['a scheme that there is not', { ...shared, scheme: 'Bearer' }],
    ['a company without a key', { ...shared, companies: { acme: { companyId: 'acme' } } }],
    ['a company with a key that is none', { ...shared, companies: { acme: { ...own, apiKey: 'two words' } } }],
    ['a list of companies', { ...shared, companies: [own] }],
    ['companies alone', { companies: { acme: own } }],
  ])('cannot be read from a secret with %s', (_, value) => {
    expect(() => readUpstreamCredentials(value)).toThrow();
  });
});

describe('a request', () => {
  it('has the account of its company', async () => {
    const world = virtualClient({ act: () => answer(200), secret: () => secret });
    await world.client(read, world.call({ companyId: 'acme' }));
    await world.client(read, world.call({ companyId: 'umbrella' }));
    const sent = world.exchanges.map(({ headers }) => readBasic(headers['authorization'] ?? ''));
    expect(sent).toEqual([own, shared]);
  });

  it('is sent again with a company’s new key after a 401', async () => {
    let kept: unknown = secret;
    const world = virtualClient({ act: inTurn(answer(200), answer(401), answer(200)), secret: () => kept });
    await world.client(read, world.call({ companyId: 'acme' }));
    kept = { ...shared, companies: { acme: { ...own, apiKey: 'next' } } };
    await world.client(read, world.call({ companyId: 'acme' }));
    const keys = world.exchanges.map(({ headers }) => readBasic(headers['authorization'] ?? '')?.apiKey);
    expect(keys).toEqual(['own-key', 'own-key', 'next']);
  });

  it('is not sent again if another company’s key changed', async () => {
    let kept: unknown = secret;
    const world = virtualClient({ act: inTurn(answer(200), answer(401)), secret: () => kept });
    await world.client(read, world.call({ companyId: 'umbrella' }));
    kept = { ...shared, companies: { acme: { ...own, apiKey: 'next' } } };
    await problemOf(world.client(read, world.call({ companyId: 'umbrella' })));
    expect(world.exchanges).toHaveLength(2);
  });
});

it.each([
  ['text that is no JSON', 'CANARY is not JSON'],
  ['JSON of another shape', '{"companyId":"CANARY","apiKey":17}'],
  ['a key under a wrong name', '{"companyId":"acme","apikey":"CANARY"}'],
  ['a company id with a colon', '{"companyId":"CANARY:","apiKey":"key"}'],
  ['a key with a line break', '{"companyId":"acme","apiKey":"CANARY\\n"}'],
])('%s is unavailable and not quoted', async (_, text) => {
  const problem = await problemOf(cachedSecret(async () => text, readUpstreamCredentials, { now: () => 0 }).read());
  expect(problem.name).toBe('unavailable');
  expect(inspect(problem, { depth: 10, showHidden: true })).not.toContain('CANARY');
});

it('an error that quotes the secret is not passed on', async () => {
  const read = async () => {
    throw Object.assign(new Error('cannot deserialise CANARY'), { $response: 'CANARY' });
  };
  const problem = await problemOf(cachedSecret(read, readUpstreamCredentials, { now: () => 0 }).read());
  expect(problem.name).toBe('unavailable');
  expect(inspect(problem, { depth: 10, showHidden: true })).not.toContain('CANARY');
});

it('unknown members of the secret are ignored', () => {
  expect(readUpstreamCredentials({ companyId: 'acme', apiKey: 'key', note: 'rotated in May' })).toEqual({
    companyId: 'acme',
    apiKey: 'key',
  });
});

describe('the secret and the local settings accept the same accounts', () => {
  const fromSecret = (companyId: string, apiKey: string) => readUpstreamCredentials({ companyId, apiKey });
  const fromSettings = (companyId: string, apiKey: string) =>
    readSettings(['--upstream', 'https://api.test'], {
      SEGUE_UPSTREAM_COMPANY_ID: companyId,
      SEGUE_UPSTREAM_API_KEY: apiKey,
    }).functionEnvironment;

  it('the longest', () => {
    const longest = ['c'.repeat(255), 'k'.repeat(1_024)] as const;
    expect(fromSecret(...longest)).toEqual({ companyId: longest[0], apiKey: longest[1] });
    expect(fromSettings(...longest)).toMatchObject({ SEGUE_UPSTREAM_API_KEY: longest[1] });
  });

  it.each([
    ['a long company id', 'c'.repeat(256), 'key'],
    ['a company id with a colon', 'a:b', 'key'],
    ['a long key', 'acme', 'k'.repeat(1_025)],
    ['a key with a space', 'acme', 'two words'],
  ])('%s is refused', (_, companyId, apiKey) => {
    expect(() => fromSecret(companyId, apiKey)).toThrow();
    expect(() => fromSettings(companyId, apiKey)).toThrow(SettingsError);
  });
});
