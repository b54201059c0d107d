import { describe, expect, it } from 'vitest';
import { type Attempt, createAttempts } from '../../local/attempts.ts';
import { AUTHORIZATION, policy, startFixture } from './fixture.ts';

const wrong = (address: string, credentials = 'wrong'): Attempt => ({ address, proof: credentials, isSigned: false });

/** Attempts with a clock that is moved by hand. */
function attemptsAt(rate: { perSecond: number; burst: number }) {
  const clock = { nowMs: 0 };
  return { clock, ...createAttempts({ ...rate, now: () => clock.nowMs }) };
}

describe('wrong credentials', () => {
  it('are counted for each address, and forgiven as time goes on', () => {
    const { clock, mayTry, failed } = attemptsAt({ perSecond: 1, burst: 2 });
    expect([1, 2, 3].map(() => failed(wrong('10.0.0.1')))).toEqual([true, true, false]);
    expect([mayTry(wrong('10.0.0.1')), mayTry(wrong('10.0.0.2'))]).toEqual([false, true]);
    clock.nowMs += 1_000;
    expect(mayTry(wrong('10.0.0.1'))).toBe(true);
  });

  it('of one IPv6 network count together', () => {
    const { mayTry, failed } = attemptsAt({ perSecond: 1, burst: 1 });
    failed(wrong('2001:db8:1:2::1'));
    expect(mayTry(wrong('2001:db8:1:2:ffff::9'))).toBe(false);
    expect(mayTry(wrong('2001:db8:1:3::1'))).toBe(true);
  });

  it('leave those alone that were good before, until they fail', () => {
    const { mayTry, failed, succeeded } = attemptsAt({ perSecond: 1, burst: 1 });
    succeeded(wrong('10.0.0.1', 'ours'));
    failed(wrong('10.0.0.1'));
    expect(mayTry(wrong('10.0.0.1', 'ours'))).toBe(true);
    failed(wrong('10.0.0.1', 'ours'));
    expect(mayTry(wrong('10.0.0.1', 'ours'))).toBe(false);
  });

  it('leave tokens alone, which are checked by their signature', () => {
    const { mayTry, failed } = attemptsAt({ perSecond: 1, burst: 1 });
    failed(wrong('10.0.0.1'));
    const token = { ...wrong('10.0.0.1'), isSigned: true };
    expect([mayTry(token), failed(token)]).toEqual([true, true]);
  });

  it('of many addresses are forgotten, the oldest first', () => {
    const { mayTry, failed } = attemptsAt({ perSecond: 1, burst: 1 });
    for (let n = 0; n < 10_001; n++) failed(wrong(`2001:db8:${n.toString(16)}::1`));
    expect(mayTry(wrong('2001:db8:0::1'))).toBe(true);
    for (const n of [1, 10_000]) expect(mayTry(wrong(`2001:db8:${n.toString(16)}::1`))).toBe(false);
  });

  it('and good ones are remembered in a bounded number', () => {
    const { mayTry, failed, succeeded } = attemptsAt({ perSecond: 1, burst: 1 });
    for (let n = 0; n < 10_001; n++) succeeded(wrong('10.0.0.1', `good ${n}`));
    failed(wrong('10.0.0.1'));
    expect([0, 1, 10_000].map((n) => mayTry(wrong('10.0.0.1', `good ${n}`)))).toEqual([false, true, true]);
  });

  it('and good tokens take no place among them, nor does what is not read', () => {
    const { mayTry, failed, succeeded } = attemptsAt({ perSecond: 1, burst: 1 });
    succeeded(wrong('10.0.0.1', 'ours'));
    const token = { ...wrong('10.0.0.1'), isSigned: true };
    for (let n = 0; n < 10_001; n++) succeeded({ ...token, proof: `token ${n}` });
    succeeded({ ...wrong('10.0.0.1'), proof: undefined });
    failed(wrong('10.0.0.1'));
    expect(mayTry(wrong('10.0.0.1', 'ours'))).toBe(true);
    expect(mayTry({ ...wrong('10.0.0.1'), proof: undefined })).toBe(false);
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
