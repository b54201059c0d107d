import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { AuthDeps } from '../../../lib/credentials/authenticate.ts';
import { authenticate } from '../../../lib/credentials/authenticate.ts';
import { keyRecordKey, storedKeys } from '../../../lib/credentials/key-directory.ts';
import { issueFirstPair, refreshPair, type TokenPair } from '../../../lib/credentials/token-pair.ts';
import { Unauthenticated } from '../../../lib/credentials/unauthenticated.ts';
import type { ItemStore } from '../../../lib/storage/port.ts';
import { openSqlite } from '../storage/folder.ts';
import { NOW_MS } from '../support.ts';
import { authenticationWith, companyKey, SIGNING_KEYS } from './world.ts';

const acme = companyKey('acme');
const HOUR_MS = 3_600_000;

/** A company with a key in a store, a clock that is moved by hand, and what a client does. */
async function world() {
  const clock = { nowMs: NOW_MS };
  const now = () => clock.nowMs;
  const store = openSqlite(now);
  await store.commit({ writes: [{ kind: 'insert', key: keyRecordKey('acme', acme.keyId), data: acme.record }] });
  const authentication = authenticationWith(storedKeys(store), { store, now });
  const revokeKey = () =>
    store.commit({
      writes: [{ kind: 'put', key: keyRecordKey('acme', acme.keyId), data: { ...acme.record, state: 'revoked' } }],
    });
  return {
    clock,
    authentication,
    revokeKey,
    begin: () => issueFirstPair(authentication, { companyId: 'acme', keyId: acme.keyId, scopes: [] }),
    refresh: (token: string, key?: string, replayed = () => {}) =>
      refreshPair(authentication, token, key === undefined ? undefined : { key, leaseMs: 1_000, replayed }),
    isGood: async ({ accessToken }: TokenPair) =>
      authenticate(`Bearer ${accessToken}`, authentication).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Unauthenticated) return false;
          throw error;
        },
      ),
  };
}

const unauthenticated = { name: 'unauthenticated' };

describe('a sign-in', () => {
  it('whose family may have begun or not is to be repeated: nobody has a token of it', async () => {
    const { authentication } = await world();
    const lost = new Problem('outcome-unknown', { detail: 'Lost.' });
    const { store: opened } = authentication;
    const store: ItemStore = { read: (key) => opened.read(key), commit: () => Promise.reject(lost) };
    const principal = { companyId: 'acme', keyId: acme.keyId, scopes: [] };
    await expect(issueFirstPair({ ...authentication, store }, principal)).rejects.toMatchObject({
      name: 'unavailable',
      occurrence: { retryAfterSeconds: expect.any(Number) },
      cause: lost,
    });
  });
});

describe('a refresh token', () => {
  it('gets the next pair, whose tokens are as good as the first', async () => {
    const { begin, refresh, isGood } = await world();
    const first = await begin();
    const second = await refresh(first.refreshToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.expiresIn).toBe(1_800);
    const third = await refresh(second.refreshToken);
    for (const pair of [first, second, third]) expect(await isGood(pair)).toBe(true);
  });

  it('works once: a second use ends the whole family, and its access tokens', async () => {
    const { begin, refresh, isGood } = await world();
    const other = await begin();
    const first = await begin();
    const second = await refresh(first.refreshToken);
    await expect(refresh(first.refreshToken)).rejects.toMatchObject({ ...unauthenticated, refusal: 'reused-token' });
    await expect(refresh(second.refreshToken)).rejects.toMatchObject({ ...unauthenticated, refusal: 'ended-family' });
    for (const pair of [first, second]) expect(await isGood(pair)).toBe(false);
    expect(await isGood(other)).toBe(true);
    await refresh(other.refreshToken);
  });

  it('used by two at once gets one pair, and then none of it is good', async () => {
    const { begin, refresh, isGood } = await world();
    const { refreshToken } = await begin();
    const results = await Promise.allSettled([refresh(refreshToken), refresh(refreshToken)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const result of results) if (result.status === 'fulfilled') expect(await isGood(result.value)).toBe(false);
  });

  it('lives 24 hours, and a minute for the clocks', async () => {
    const { clock, begin, refresh } = await world();
    const [one, other] = [await begin(), await begin()];
    clock.nowMs = NOW_MS + 24 * HOUR_MS + 59_000;
    await refresh(one.refreshToken);
    clock.nowMs += 1_000;
    await expect(refresh(other.refreshToken)).rejects.toMatchObject(unauthenticated);
  });

  it('is worth nothing once its key is revoked', async () => {
    const { begin, refresh, revokeKey } = await world();
    const { refreshToken } = await begin();
    await revokeKey();
    await expect(refresh(refreshToken)).rejects.toMatchObject(unauthenticated);
  });

  it('is no access token, nor the other way round', async () => {
    const { begin, refresh, authentication } = await world();
    const { accessToken, refreshToken } = await begin();
    await expect(authenticate(`Bearer ${refreshToken}`, authentication)).rejects.toMatchObject({
      refusal: 'wrong-token',
    });
    await expect(refresh(accessToken)).rejects.toMatchObject(unauthenticated);
    for (const text of ['', 'a.b.c', 'x'.repeat(1_000_000)]) {
      await expect(refresh(text)).rejects.toMatchObject(unauthenticated);
    }
  });
});

describe('a refresh with a key', () => {
  it('is answered alike however often it is sent, and is no second use', async () => {
    const { begin, refresh, clock, isGood } = await world();
    const { refreshToken } = await begin();
    const first = await refresh(refreshToken, 'key');
    clock.nowMs += 60_000;
    let replays = 0;
    const again = await refresh(refreshToken, 'key', () => replays++);
    expect(again).toEqual({ ...first, expiresIn: 1_740 });
    expect(replays).toBe(1);
    expect(await isGood(again)).toBe(true);
    await refresh(again.refreshToken);
  });

  it('is a second use with another key', async () => {
    const { begin, refresh, isGood } = await world();
    const { refreshToken } = await begin();
    const pair = await refresh(refreshToken, 'key');
    await expect(refresh(refreshToken, 'other')).rejects.toMatchObject(unauthenticated);
    expect(await isGood(pair)).toBe(false);
    await expect(refresh(refreshToken, 'key')).rejects.toMatchObject(unauthenticated);
  });

  it('is refused for another token with the same key, which stays unused', async () => {
    const { begin, refresh } = await world();
    const [one, other] = [await begin(), await begin()];
    await refresh(one.refreshToken, 'key');
    await expect(refresh(other.refreshToken, 'key')).rejects.toMatchObject({ name: 'idempotency-key-reused' });
    await refresh(other.refreshToken, 'another');
  });

  it('is not answered again once the key that signed its tokens is gone', async () => {
    const { begin, authentication } = await world();
    const { refreshToken } = await begin();
    const once = { key: 'key', leaseMs: 1_000, replayed: () => {} };
    const [newest, older] = SIGNING_KEYS;
    const before: AuthDeps = { ...authentication, signingKeys: async () => [newest, older] };
    await refreshPair(before, refreshToken, once);
    const after: AuthDeps = { ...authentication, signingKeys: async () => [older] };
    await expect(refreshPair(after, refreshToken, once)).rejects.toMatchObject(unauthenticated);
  });
});
