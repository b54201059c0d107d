import { describe, expect, it } from 'vitest';
import { headerCredentials, WrongCredentials } from '../../local/wrong-credentials.ts';
import { ALLOWED, AUTHORIZATION, DENIED, startFixture } from './world.ts';

const TOKEN = headerCredentials('Bearer a.b.c');

/** Returns a limit of one a second, on a clock that tests move. */
function limitAt(burst: number) {
  const clock = { nowMs: 0 };
  const limit = new WrongCredentials({ perSecond: 1, burst }, () => clock.nowMs);
  const succeeds = (call: () => void) => {
    try {
      call();
      return true;
    } catch {
      return false;
    }
  };
  return {
    clock,
    recordGood: (key: string) => limit.recordGood(headerCredentials(key)),
    /** Whether credentials are checked. */
    isAllowed: (sent = headerCredentials('wrong')) => succeeds(() => limit.requireAllowed(sent)),
    /** Whether the sender learns that its credentials are wrong. */
    isTold: (sent = headerCredentials('wrong')) => succeeds(() => limit.recordWrong(sent)),
  };
}

it('counts wrong credentials, and refills with time', () => {
  const { clock, isAllowed, isTold } = limitAt(2);
  expect([1, 2, 3].map(() => isTold())).toEqual([true, true, false]);
  expect(isAllowed()).toBe(false);
  clock.nowMs += 1_000;
  expect(isAllowed()).toBe(true);
});

it('never locks out tokens, or a key that was valid until now', () => {
  const { recordGood, isAllowed, isTold } = limitAt(1);
  const ours = headerCredentials('ours');
  recordGood('ours');
  isTold();
  expect([isAllowed(TOKEN), isTold(TOKEN)]).toEqual([true, true]);
  expect([isAllowed(), isAllowed(ours)]).toEqual([false, true]);
  isTold(ours);
  expect(isAllowed(ours)).toBe(false);
});

describe('a gateway', () => {
  const basic = (n: number) => ({ Authorization: `Basic ${n}` });
  const unauthorized = async () => DENIED;

  /** Starts a gateway that accepts two wrong credentials, and checks each request anew. */
  async function world(options: Parameters<typeof startFixture>[0]) {
    const fixture = await startFixture({
      wrongCredentials: { perSecond: 1, burst: 2 },
      authorizerTtlMs: 0,
      ...options,
    });
    const statusOf = async (path: string, init: RequestInit) => (await fetch(fixture.url + path, init)).status;
    const post = (path: string, body?: string, headers = {}) =>
      statusOf(path, { method: 'POST', headers, ...(body !== undefined && { body }) });
    return {
      ...fixture,
      post,
      list: (headers: Record<string, string>) => statusOf('/segments/projects', { headers }),
      signIn: (body?: string, headers = {}) => post('/authentication/token', body, headers),
      refresh: (body?: string) => post('/authentication/RefreshToken', body),
      oauth: (body: string, headers = {}) => post('/oauth/token', body, headers),
    };
  }

  it('calls neither authorizer nor sign-in above the limit, but checks tokens', async () => {
    const { url, list, signIn, refresh, authorized, calls } = await world({
      authorizer: unauthorized,
      handler: async () => ({ statusCode: 401 }),
    });
    expect([await list(basic(1)), await signIn('', basic(2))]).toEqual([401, 401]);
    expect([await list(basic(3)), await signIn('', basic(4)), await signIn('{"username":"a"}')]).toEqual([
      429, 429, 429,
    ]);
    const refused = await fetch(`${url}/segments/projects`, { headers: basic(3) });
    const detail =
      'Too many requests from your address had wrong credentials. So Segue rejected this request, although its credentials may be right.';
    expect(await refused.json()).toMatchObject({ detail });
    expect([authorized.length, calls.length]).toEqual([1, 1]);
    expect([await list({ Authorization: 'Bearer a.b.c' }), await refresh('{"token":"a.b.c"}')]).toEqual([401, 401]);
    expect([authorized.length, calls.length]).toEqual([2, 2]);
  });

  it('counts the credentials of OAuth, whose form may be the same for all clients', async () => {
    const form = 'grant_type=client_credentials';
    const { oauth } = await world({
      handler: async ({ headers }) => ({ statusCode: Object.values(headers).includes('Basic 1') ? 200 : 401 }),
    });
    const statuses = [];
    for (const n of [1, 2, 3, 4, 1]) statuses.push(await oauth(form, basic(n)));
    expect(statuses).toEqual([200, 401, 401, 429, 200]);
    expect(await oauth(`${form}&client_secret=x`)).toBe(429);
  });

  it('counts wrong credentials between good ones, which it still checks', async () => {
    const good = '{"username":"acme","password":"key"}';
    const { list, signIn } = await world({
      authorizer: async ({ headers }) =>
        Object.values(headers).includes(AUTHORIZATION.Authorization) ? ALLOWED : unauthorized(),
    });
    expect(await signIn(good)).toBe(200);
    const statuses: number[] = [];
    for (const n of [1, 2, 3]) statuses.push(await list(basic(n)), await list(AUTHORIZATION));
    expect(statuses).toEqual([401, 200, 401, 200, 429, 200]);
    expect(await signIn(good)).toBe(200);
  });

  it('does not count requests without credentials, webhooks, or other failures', async () => {
    const { list, signIn, post } = await world({
      authorizer: unauthorized,
      handler: async ({ headers }) => ({ statusCode: 'Fail' in headers ? 503 : 401 }),
    });
    expect([await list({}), await post('/webhooks/cms', '{}', basic(1)), await signIn()]).toEqual([401, 401, 401]);
    expect(await signIn('', { ...basic(1), Fail: 'yes' })).toBe(503);
    expect([await signIn('{}'), await signIn('{}'), await signIn('{}'), await signIn()]).toEqual([401, 401, 429, 401]);
  });
});
