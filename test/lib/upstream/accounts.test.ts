import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { readBasic } from '../../../lib/contract/basic-credentials.ts';
import { WrongSetting } from '../../../lib/contract/settings.ts';
import type { TransportRequest } from '../../../lib/service/http-client/exchange.ts';
import { accountOf, readUpstreamCredentials } from '../../../lib/upstream/accounts.ts';
import { CREATE, DELETE, READ, type UpstreamRequest } from '../../../lib/upstream/requests.ts';
import { readSettings } from '../../../local/start-settings.ts';
import { problemOf } from '../support.ts';
import { type Act, answer, type VirtualClient, virtualClient } from './virtual-client.ts';

const read = { operation: READ, path: '/segments/projects/1' };
const shared = { companyId: 'all-of-us', apiKey: 'shared-key' };
const own = { companyId: 'acme-itself', apiKey: 'own-key' };
const secret = { ...shared, companies: { acme: own } };

describe('the account of a company', () => {
  it('is its own if the secret has one, in either scheme', () => {
    const bearer = { ...shared, scheme: 'bearer', note: 'rotated in May', companies: { acme: own } };
    const read = readUpstreamCredentials(bearer);
    expect(accountOf(read, 'acme')).toEqual({ account: own, isOwn: true });
    expect(accountOf(read, 'umbrella')).toEqual({ account: { ...shared, scheme: 'bearer' }, isOwn: false });
  });

  it.each(['umbrella', 'ACME', 'constructor', '__proto__'])('is the shared one: %s', (companyId) => {
    for (const value of [secret, shared]) {
      expect(accountOf(readUpstreamCredentials(value), companyId)).toEqual({ account: shared, isOwn: false });
    }
  });

  it.each([
    ['another company', { ...shared, companies: { acme: own, umbrella: { ...own } } }],
    ['the companies without an entry', { ...shared, companies: { acme: shared } }],
  ])('is not its own if it is that of %s too', (_, value) => {
    expect(accountOf(readUpstreamCredentials(value), 'acme').isOwn).toBe(false);
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
    ['a key under a wrong name', { companyId: 'acme', apikey: 'key' }],
    ['a key with a line break', { ...shared, apiKey: 'key\n' }],
    ['a company without a key', { ...shared, companies: { acme: { companyId: 'acme' } } }],
    ['a company with an invalid key', { ...shared, companies: { acme: { ...own, apiKey: 'two words' } } }],
    ['a list of companies', { ...shared, companies: [own] }],
    ['companies alone', { companies: { acme: own } }],
  ])('cannot be read from a secret with %s', (_, value) => {
    expect(() => readUpstreamCredentials(value)).toThrow();
  });
});

it('a request has the account of its company', async () => {
  const world = virtualClient({ act: () => answer(200), secret: () => secret });
  await world.client(read, world.call({ companyId: 'acme' }));
  await world.client(read, world.call({ companyId: 'umbrella' }));
  const sent = world.exchanges.map(({ headers }) => readBasic(headers['authorization'] ?? ''));
  expect(sent).toEqual([own, shared]);
});

/** Returns a service that accepts one key, and a secret with that key. The test can change both. */
function rotating() {
  const right = { key: 'first', secret: async (): Promise<unknown> => withKey('first') };
  const readSecret = vi.fn(() => right.secret());
  let refuse: Act = () => answer(401);
  const world = virtualClient({
    secret: readSecret,
    act: (exchange) =>
      keyOf(exchange) === right.key ? answer(exchange.method === 'POST' ? 201 : 200) : refuse(exchange),
  });
  const ask = (request: UpstreamRequest = read, call = world.call({ companyId: 'acme' })) =>
    world.client(request, call);
  return {
    ...world,
    ask,
    reads: () => readSecret.mock.calls.length,
    keysSent: () => world.exchanges.map(keyOf),
    /** Makes the service accept another key. The secret has that key, or another value. */
    rotate(key: string, value: unknown = withKey(key)) {
      Object.assign(right, { key, secret: async () => value });
    },
    readBy(secret: () => Promise<unknown>) {
      right.secret = secret;
    },
    refuseBy(act: Act) {
      refuse = act;
    },
  };
}

const withKey = (apiKey: string) => ({ ...shared, companies: { acme: { ...own, apiKey } } });
const keyOf = ({ headers }: TransportRequest) => readBasic(headers['authorization'] ?? '')?.apiKey;

describe('a rotated key', () => {
  it.each([
    ['create', { operation: CREATE, path: '/segments/projects', sent: { name: 'A' } }],
    ['delete', { operation: DELETE, path: '/segments/projects/1' }],
    ['read', read],
  ])('is used in the same request: %s', async (_, request) => {
    const { ask, rotate, exchanges, keysSent, reads } = rotating();
    await ask();
    rotate('second');
    await ask(request);
    expect(keysSent()).toEqual(['first', 'first', 'second']);
    const [, first, second] = exchanges.map(({ method, path, body }) => ({ method, path, body }));
    expect(second).toEqual(first);
    expect(reads()).toBe(2);
  });

  it('is not read again for a late refusal of the old key', async () => {
    const { ask, rotate, refuseBy, keysSent, reads } = rotating();
    await ask();
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    rotate('second');
    refuseBy(async () => {
      held.resolve();
      await released.promise;
      return answer(401);
    });
    const slow = ask();
    await held.promise;
    refuseBy(() => answer(401));
    await ask();
    released.resolve();
    await slow;
    expect(keysSent()).toEqual(['first', 'first', 'first', 'second', 'second']);
    expect(reads()).toBe(2);
  });

  it('is used by the next request after a 403', async () => {
    const { ask, rotate, refuseBy, keysSent } = rotating();
    await ask();
    rotate('second');
    refuseBy(() => answer(403));
    expect((await problemOf(ask())).name).toBe('upstream-unavailable');
    await ask();
    expect(keysSent()).toEqual(['first', 'first', 'second']);
  });

  it('is not looked for after a 403 to a lookup, which the account may lack the right to', async () => {
    const { ask, rotate, refuseBy, reads } = rotating();
    await ask();
    rotate('second');
    refuseBy(() => answer(403));
    const lookup = { operation: { ...READ, passesOn: [], needsRight: true }, path: '/Accounts/Users' } as const;
    for (let n = 0; n < 3; n++) expect((await problemOf(ask(lookup))).name).toBe('upstream-refused');
    expect(reads()).toBe(1);
  });
});

it('reads go on with the old secret while it cannot be read again, but no deletion', async () => {
  const { ask, readBy, wait, exchanges } = rotating();
  await ask();
  wait(60_000);
  readBy(() => Promise.reject(new Error('down')));
  await ask();
  expect((await problemOf(ask({ operation: DELETE, path: '/segments/projects/1' }))).name).toBe('unavailable');
  expect(exchanges.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

describe('a rejected key ends in upstream-unavailable', () => {
  it.each<[string, unknown, string[]]>([
    ['while the secret still holds it', withKey('first'), ['first']],
    ['if only another company’s key has changed', { ...withKey('first'), apiKey: 'next' }, ['first']],
    ['if the new key is rejected too', withKey('third'), ['first', 'third']],
  ])('%s', async (_, secret, keys) => {
    const { ask, rotate, keysSent } = rotating();
    await ask();
    rotate('second', secret);
    expect(await problemOf(ask())).toMatchObject({
      name: 'upstream-unavailable',
      occurrence: { retryAfterSeconds: 5 },
    });
    expect(keysSent().slice(1)).toEqual(keys);
    rotate('second');
    await ask();
    expect(keysSent().at(-1)).toBe('second');
  });

  it.each<[string, (world: VirtualClient) => Promise<unknown>]>([
    ['cannot be read', () => Promise.reject(new Error('down'))],
    [
      'is not read in time',
      ({ wait }) => {
        // A read may use half of the time.
        wait(13_999);
        return new Promise(() => {});
      },
    ],
    [
      'is read too late',
      async ({ wait }) => {
        wait(28_000);
        return withKey('second');
      },
    ],
  ])('if the secret %s', async (_, secret) => {
    const world = rotating();
    await world.ask();
    world.rotate('second');
    world.readBy(() => secret(world));
    expect((await problemOf(world.ask())).name).toBe('upstream-unavailable');
    expect(world.keysSent()).toEqual(['first', 'first']);
  });
});

describe('the secret and the local settings accept the same accounts', () => {
  const fromSecret = (companyId: string, apiKey: string) => readUpstreamCredentials({ companyId, apiKey });
  const fromSettings = (companyId: string, apiKey: string) =>
    readSettings(['--upstream', 'https://api.test'], {
      SEGUE_UPSTREAM_COMPANY_ID: companyId,
      SEGUE_UPSTREAM_API_KEY: apiKey,
    }).functionEnvironment;

  it('accept the longest account', () => {
    const longest = ['c'.repeat(255), 'k'.repeat(1_024)] as const;
    expect(fromSecret(...longest)).toEqual({ companyId: longest[0], apiKey: longest[1] });
    expect(fromSettings(...longest)).toMatchObject({ SEGUE_UPSTREAM_API_KEY: longest[1] });
  });

  it.each([
    ['c'.repeat(256), 'key'],
    ['a:b', 'key'],
    ['acme', 'k'.repeat(1_025)],
    ['acme', 'two words'],
  ])('refuse %s with the key %s', (companyId, apiKey) => {
    expect(() => fromSecret(companyId, apiKey)).toThrow();
    expect(() => fromSettings(companyId, apiKey)).toThrow(WrongSetting);
  });
});
