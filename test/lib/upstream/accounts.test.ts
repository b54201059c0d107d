import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readBasic } from '../../../lib/contract/basic.ts';
import { accountOf, readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { READ } from '../../../lib/upstream/requests.ts';
import { answer, inTurn, virtualClient } from './virtual.ts';
import { problemOf } from './world.ts';

const read = { operation: READ, path: '/segments/projects/1' };
const shared = { companyId: 'all-of-us', apiKey: 'shared-key' };
const own = { companyId: 'acme-itself', apiKey: 'own-key' };
const secret = { ...shared, companies: { acme: own } };

describe('the account of a company', () => {
  test('is its own where the secret has one', () => {
    expect(accountOf(readUpstreamCredentials(secret), 'acme')).toEqual({ account: own, isOwn: true });
  });

  test.each(['umbrella', 'ACME', 'constructor', '__proto__', 'toString'])('is the shared one: %s', (companyId) => {
    expect(accountOf(readUpstreamCredentials(secret), companyId)).toEqual({ account: shared, isOwn: false });
  });

  test('is the shared one where no company has its own', () => {
    expect(accountOf(readUpstreamCredentials(shared), 'acme')).toEqual({ account: shared, isOwn: false });
  });

  test('may be shown in either scheme', () => {
    const bearer = { ...shared, scheme: 'bearer', companies: { acme: { ...own, scheme: 'basic' } } };
    const both = readUpstreamCredentials(bearer);
    expect(accountOf(both, 'acme').account.scheme).toBe('basic');
    expect(accountOf(both, 'umbrella').account.scheme).toBe('bearer');
  });

  test('is found in the secret that docs/upstream.md shows', () => {
    const page = readFileSync(new URL('../../../docs/upstream.md', import.meta.url), 'utf8');
    const [, shown = ''] = /^```json\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(accountOf(readUpstreamCredentials(JSON.parse(shown)), 'acme')).toEqual({
      account: { companyId: '<ITS_COMPANY_ID>', apiKey: '<ITS_API_KEY>' },
      isOwn: true,
    });
  });

  test.each([
    ['a scheme that there is not', { ...shared, scheme: 'Bearer' }],
    ['a company without a key', { ...shared, companies: { acme: { companyId: 'acme' } } }],
    ['a company with a key that is none', { ...shared, companies: { acme: { ...own, apiKey: 'two words' } } }],
    ['a list of companies', { ...shared, companies: [own] }],
    ['companies alone', { companies: { acme: own } }],
  ])('is none where the secret has %s', (_, value) => {
    expect(() => readUpstreamCredentials(value)).toThrow();
  });
});

describe('a request', () => {
  test('is sent with the account of the company that asks', async () => {
    const world = virtualClient({ act: () => answer(200), secret: () => secret });
    await world.client(read, world.call({ companyId: 'acme' }));
    await world.client(read, world.call({ companyId: 'umbrella' }));
    const sent = world.exchanges.map(({ headers }) => readBasic(headers['authorization'] ?? ''));
    expect(sent).toEqual([own, shared]);
  });

  test('is sent again with a company’s new key after a 401, and only then', async () => {
    let kept: unknown = secret;
    const world = virtualClient({ act: inTurn(answer(200), answer(401), answer(200)), secret: () => kept });
    await world.client(read, world.call({ companyId: 'acme' }));
    kept = { ...shared, companies: { acme: { ...own, apiKey: 'next' } } };
    await world.client(read, world.call({ companyId: 'acme' }));
    const keys = world.exchanges.map(({ headers }) => readBasic(headers['authorization'] ?? '')?.apiKey);
    expect(keys).toEqual(['own-key', 'own-key', 'next']);
  });

  test('is not sent again where it was another company’s key that changed', async () => {
    let kept: unknown = secret;
    const world = virtualClient({ act: inTurn(answer(200), answer(401)), secret: () => kept });
    await world.client(read, world.call({ companyId: 'umbrella' }));
    kept = { ...shared, companies: { acme: { ...own, apiKey: 'next' } } };
    await problemOf(world.client(read, world.call({ companyId: 'umbrella' })));
    expect(world.exchanges).toHaveLength(2);
  });
});
