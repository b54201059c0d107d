import { describe, expect, it } from 'vitest';
import { type SentCredentials, WrongCredentials } from '../../local/wrong-credentials.ts';
import { AUTHORIZATION, policy, startFixture } from './world.ts';

const key = (text: string): SentCredentials => ({ key: text, isToken: false });
const TOKEN: SentCredentials = { key: undefined, isToken: true };

/** Limits on a clock that tests move. */
function limitAt(perSecond: number, burst: number) {
  const clock = { nowMs: 0 };
  const limit = new WrongCredentials({ rate: { perSecond, burst }, now: () => clock.nowMs });
  const answers = (call: () => void) => {
    try {
      call();
      return true;
    } catch {
      return false;
    }
  };
  return {
    clock,
    good: (text: string) => limit.recordGood(key(text)),
    goodToken: (text: string) => limit.recordGood({ key: text, isToken: true }),
    /** Whether credentials are checked. */
    isAllowed: (address: string, credentials = key('wrong')) =>
      answers(() => limit.requireAllowed(credentials, address)),
    /** Whether the sender learns that they are wrong. */
    isTold: (address: string, credentials = key('wrong')) => answers(() => limit.recordWrong(credentials, address)),
  };
}

describe('wrong credentials', () => {
  it('count by address, and are forgotten with time', () => {
    const { clock, isAllowed, isTold } = limitAt(1, 2);
    expect([1, 2, 3].map(() => isTold('10.0.0.1'))).toEqual([true, true, false]);
    expect([isAllowed('10.0.0.1'), isAllowed('10.0.0.2')]).toEqual([false, true]);
    clock.nowMs += 1_000;
    expect(isAllowed('10.0.0.1')).toBe(true);
  });

  it('of one IPv6 network count together', () => {
    const { isAllowed, isTold } = limitAt(1, 1);
    isTold('2001:db8:1:2::1');
    expect(isAllowed('2001:db8:1:2:ffff::9')).toBe(false);
    expect(isAllowed('2001:db8:1:3::1')).toBe(true);
  });

  it('do not lock out a key that was good before, until it is wrong', () => {
    const { good, isAllowed, isTold } = limitAt(1, 1);
    good('ours');
    isTold('10.0.0.1');
    expect(isAllowed('10.0.0.1', key('ours'))).toBe(true);
    isTold('10.0.0.1', key('ours'));
    expect(isAllowed('10.0.0.1', key('ours'))).toBe(false);
  });

  it('do not lock out tokens, or credentials that nothing is known of', () => {
    const { isAllowed, isTold } = limitAt(1, 1);
    isTold('10.0.0.1');
    expect([isAllowed('10.0.0.1', TOKEN), isTold('10.0.0.1', TOKEN)]).toEqual([true, true]);
    expect(isAllowed('10.0.0.1', { ...TOKEN, isToken: false })).toBe(false);
  });

  it('are remembered for a bounded number of addresses', () => {
    const { isAllowed, isTold } = limitAt(1, 1);
    for (let n = 0; n < 10_001; n++) isTold(`2001:db8:${n.toString(16)}::1`);
    expect([0, 1, 10_000].map((n) => isAllowed(`2001:db8:${n.toString(16)}::1`))).toEqual([true, false, false]);
  });

  it('leave a bounded number of good keys, among which tokens take no place', () => {
    const { good, goodToken, isAllowed, isTold } = limitAt(1, 1);
    for (let n = 0; n < 10_001; n++) good(`good ${n}`);
    for (let n = 0; n < 10_001; n++) goodToken(`token ${n}`);
    isTold('10.0.0.1');
    expect([0, 1, 10_000].map((n) => isAllowed('10.0.0.1', key(`good ${n}`)))).toEqual([false, true, true]);
  });
});

describe('a gateway whose caller has sent too many wrong credentials', () => {
  const limits = { perSecond: 1, burst: 2 };
  const basic = (n: number) => ({ Authorization: `Basic ${n}` });
  const list = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/segments/projects`, { headers }).then(({ status }) => status);

  it('does not ask the authorizer, or the operation that signs in', async () => {
    const { url, authorized, calls } = await startFixture({
      wrongCredentials: limits,
      authorizer: async () => Promise.reject(new Error('Unauthorized')),
      handler: async () => ({ statusCode: 401, body: '{}' }),
    });
    const signIn = (headers: Record<string, string>) =>
      fetch(`${url}/authentication/token`, { method: 'POST', headers }).then(({ status }) => status);
    expect([await list(url, basic(1)), await signIn(basic(2))]).toEqual([401, 401]);
    expect([await list(url, basic(3)), await signIn(basic(4))]).toEqual([429, 429]);
    const refused = await fetch(`${url}/segments/projects`, { headers: basic(3) });
    const detail = 'This address sends too many wrong credentials. Segue did not check these.';
    expect(await refused.json()).toMatchObject({ detail });
    expect([authorized.length, calls.length]).toEqual([1, 1]);
    // Tokens are checked, and a client whose token has expired is told to get a new one.
    expect(await list(url, { Authorization: 'Bearer a.b.c' })).toBe(401);
    const refresh = { method: 'POST', body: '{"token":"a.b.c"}' };
    expect((await fetch(`${url}/authentication/RefreshToken`, refresh)).status).toBe(401);
    expect([authorized.length, calls.length]).toEqual([2, 2]);
  });

  it('asks no more than the limit, whatever the order of good and wrong ones', async () => {
    const isGood = (authorization: string | undefined) => authorization === AUTHORIZATION.Authorization;
    const { url } = await startFixture({
      wrongCredentials: limits,
      authorizerTtlMs: 0,
      authorizer: async ({ headers }) => {
        const [, value] = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization') ?? [];
        if (!isGood(value)) throw new Error('Unauthorized');
        return policy('Allow', '*');
      },
    });
    const sent = [basic(1), AUTHORIZATION, basic(2), AUTHORIZATION, basic(3), AUTHORIZATION];
    const answers: number[] = [];
    for (const headers of sent) answers.push(await list(url, headers));
    expect(answers).toEqual([401, 200, 401, 200, 429, 200]);
  });

  it('does not count requests without credentials, messages of webhooks, or what fails for other reasons', async () => {
    const { url } = await startFixture({
      wrongCredentials: limits,
      authorizer: async () => Promise.reject(new Error('Unauthorized')),
      handler: async (event) => ({ statusCode: event.path.startsWith('/webhooks') ? 401 : 503, body: '{}' }),
    });
    for (let n = 0; n < 4; n++) {
      expect(await list(url, {})).toBe(401);
      expect((await fetch(`${url}/webhooks/cms`, { method: 'POST', body: '{}' })).status).toBe(401);
      expect((await fetch(`${url}/authentication/token`, { method: 'POST', headers: basic(n) })).status).toBe(503);
    }
    expect(await list(url, basic(1))).toBe(401);
  });

  it('knows a good key in whatever form it is sent, and no more of it than one form takes', async () => {
    const { url } = await startFixture({
      wrongCredentials: limits,
      authorizerTtlMs: 0,
      authorizer: async ({ headers }) => {
        if (Object.values(headers ?? {}).includes('Basic wrong')) throw new Error('Unauthorized');
        return policy('Allow', '*');
      },
    });
    const body = (value: object) => ({ method: 'POST', body: JSON.stringify(value) });
    const signIn = (init: RequestInit) => fetch(`${url}/authentication/token`, init).then(({ status }) => status);
    const key = { username: 'acme', password: 'key' };
    expect(await signIn(body(key))).toBe(200);
    const wrongKey = { Authorization: 'Basic wrong' };
    expect([await list(url, wrongKey), await list(url, wrongKey), await list(url, wrongKey)]).toEqual([401, 401, 429]);
    const [, encoded] = AUTHORIZATION.Authorization.split(' ');
    expect(await list(url, { Authorization: `bAsIc   ${encoded}` })).toBe(200);
    expect(await signIn({ method: 'POST', headers: AUTHORIZATION })).toBe(200);
    expect(await signIn({ method: 'POST', body: ' {"password":"k\\u0065y","username":"acme"}' })).toBe(200);
    expect(await signIn(body({ ...key, username: 'other' }))).toBe(429);
  });

  it('does not count sign-ins and refreshes without a key or a token', async () => {
    const { url } = await startFixture({
      wrongCredentials: limits,
      handler: async () => ({ statusCode: 401, body: '{}' }),
    });
    const post = (path: string, body?: string) =>
      fetch(`${url}/authentication/${path}`, { method: 'POST', ...(body !== undefined && { body }) }).then(
        ({ status }) => status,
      );
    for (const body of [undefined, '', '[]', '{}', 'null', '{"username":"acme"}', '{']) {
      for (const path of ['token', 'RefreshToken']) expect(await post(path, body)).toBe(401);
    }
    const key = (password: string) => JSON.stringify({ username: 'acme', password });
    expect([await post('token', key('1')), await post('token', key('2'))]).toEqual([401, 401]);
    expect([await post('token', key('3')), await post('token')]).toEqual([429, 401]);
    expect(await post('RefreshToken', '{"token":"wrong"}')).toBe(401);
  });
});
