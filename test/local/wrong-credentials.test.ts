import { describe, expect, it } from 'vitest';
import { type SentCredentials, WrongCredentials } from '../../local/wrong-credentials.ts';
import { AUTHORIZATION, policy, startFixture } from './world.ts';

const key = (text: string): SentCredentials => ({ key: text, isToken: false });
const TOKEN: SentCredentials = { key: undefined, isToken: true };

/** A limit of one a second, on a clock that tests move. */
function limitAt(burst: number) {
  const clock = { nowMs: 0 };
  const limit = new WrongCredentials({ rate: { perSecond: 1, burst }, now: () => clock.nowMs });
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
    limit,
    /** Whether credentials are checked. */
    isAllowed: (address: string, credentials = key('wrong')) =>
      succeeds(() => limit.requireAllowed(credentials, address)),
    /** Whether the sender learns that its credentials are wrong. */
    isTold: (address: string, credentials = key('wrong')) => succeeds(() => limit.recordWrong(credentials, address)),
  };
}

describe('the limit of wrong credentials', () => {
  it('counts them for each address, and refills with time', () => {
    const { clock, isAllowed, isTold } = limitAt(2);
    expect([1, 2, 3].map(() => isTold('10.0.0.1'))).toEqual([true, true, false]);
    expect([isAllowed('10.0.0.1'), isAllowed('10.0.0.2')]).toEqual([false, true]);
    clock.nowMs += 1_000;
    expect(isAllowed('10.0.0.1')).toBe(true);
  });

  it('counts an IPv6 network as one address', () => {
    const { isAllowed, isTold } = limitAt(1);
    isTold('2001:db8:1:2::1');
    expect(isAllowed('2001:db8:1:2:ffff::9')).toBe(false);
    expect(isAllowed('2001:db8:1:3::1')).toBe(true);
  });

  it('never locks out tokens, or a key that was good until it is wrong', () => {
    const { limit, isAllowed, isTold } = limitAt(1);
    limit.recordGood(key('ours'));
    isTold('10.0.0.1');
    expect([isAllowed('10.0.0.1', TOKEN), isTold('10.0.0.1', TOKEN)]).toEqual([true, true]);
    expect(isAllowed('10.0.0.1', { key: undefined, isToken: false })).toBe(false);
    expect(isAllowed('10.0.0.1', key('ours'))).toBe(true);
    isTold('10.0.0.1', key('ours'));
    expect(isAllowed('10.0.0.1', key('ours'))).toBe(false);
  });

  it('remembers a bounded number of addresses and of good keys, and no tokens', () => {
    const { limit, isAllowed, isTold } = limitAt(1);
    const address = (n: number) => `2001:db8:${n.toString(16)}::1`;
    for (let n = 0; n < 10_001; n++) {
      isTold(address(n));
      limit.recordGood(key(`good ${n}`));
    }
    for (let n = 0; n < 10_001; n++) limit.recordGood({ key: `token ${n}`, isToken: true });
    expect([0, 1, 10_000].map((n) => isAllowed(address(n)))).toEqual([true, false, false]);
    expect([0, 1, 10_000].map((n) => isAllowed(address(1), key(`good ${n}`)))).toEqual([false, true, true]);
  });
});

describe('a gateway', () => {
  const basic = (n: number) => ({ Authorization: `Basic ${n}` });
  const unauthorized = async () => Promise.reject(new Error('Unauthorized'));

  /** A gateway that takes two wrong credentials, and checks each anew. */
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
    };
  }

  it('calls neither authorizer nor sign-in above the limit, but checks tokens', async () => {
    const { url, list, signIn, refresh, authorized, calls } = await world({
      authorizer: unauthorized,
      handler: async () => ({ statusCode: 401, body: '{}' }),
    });
    expect([await list(basic(1)), await signIn('', basic(2))]).toEqual([401, 401]);
    expect([await list(basic(3)), await signIn('', basic(4))]).toEqual([429, 429]);
    const refused = await fetch(`${url}/segments/projects`, { headers: basic(3) });
    const detail = 'This address sends too many wrong credentials. Segue did not check these.';
    expect(await refused.json()).toMatchObject({ detail });
    expect([authorized.length, calls.length]).toEqual([1, 1]);
    expect([await list({ Authorization: 'Bearer a.b.c' }), await refresh('{"token":"a.b.c"}')]).toEqual([401, 401]);
    expect([authorized.length, calls.length]).toEqual([2, 2]);
  });

  it('counts wrong credentials between good ones', async () => {
    const { list } = await world({
      authorizer: async ({ headers }) =>
        Object.values(headers ?? {}).includes(AUTHORIZATION.Authorization) ? policy('Allow', '*') : unauthorized(),
    });
    const statuses: number[] = [];
    for (const n of [1, 2, 3]) statuses.push(await list(basic(n)), await list(AUTHORIZATION));
    expect(statuses).toEqual([401, 200, 401, 200, 429, 200]);
  });

  it('does not count requests without credentials, webhooks, or other failures', async () => {
    const { list, signIn, refresh, post } = await world({
      authorizer: unauthorized,
      handler: async ({ headers }) => ({ statusCode: 'Fail' in headers ? 503 : 401, body: '{}' }),
    });
    expect([await list({}), await post('/webhooks/cms', '{}', basic(1))]).toEqual([401, 401]);
    expect(await signIn('', { ...basic(1), Fail: 'yes' })).toBe(503);
    for (const body of [undefined, '', '[]', '{}', 'null', '{"username":"acme"}', '{']) {
      expect([await signIn(body), await refresh(body)]).toEqual([401, 401]);
    }
    const wrong = (n: number) => signIn(JSON.stringify({ username: 'acme', password: `${n}` }));
    expect([await wrong(1), await wrong(2), await wrong(3), await signIn()]).toEqual([401, 401, 429, 401]);
  });

  it('knows a good key in every form', async () => {
    const { list, signIn } = await world({
      authorizer: async ({ headers }) =>
        Object.values(headers ?? {}).includes('Basic wrong') ? unauthorized() : policy('Allow', '*'),
    });
    expect(await signIn('{"username":"acme","password":"key"}')).toBe(200);
    const wrong = { Authorization: 'Basic wrong' };
    expect([await list(wrong), await list(wrong), await list(wrong)]).toEqual([401, 401, 429]);
    const [, encoded] = AUTHORIZATION.Authorization.split(' ');
    expect(await list({ Authorization: `bAsIc   ${encoded}` })).toBe(200);
    expect(await signIn('', AUTHORIZATION)).toBe(200);
    expect(await signIn(' {"password":"k\\u0065y","username":"acme"}')).toBe(200);
    expect(await signIn('{"username":"other","password":"key"}')).toBe(429);
  });
});
