import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { issueFirstPair, refreshPair } from '../../../lib/credentials/token-pair.ts';
import type { ItemStore } from '../../../lib/storage/port.ts';
import { NOW_MS } from '../support.ts';
import { SIGNING_KEYS, sent, signInWorld } from './world.ts';

const HOUR_MS = 3_600_000;
const unauthenticated = { name: 'unauthenticated' };

describe('issueFirstPair', () => {
  it('fails with unavailable if the outcome of the commit is unknown, because nobody has the tokens', async () => {
    const { deps, principal } = await signInWorld();
    const lost = new Problem('outcome-unknown', { detail: 'Lost.' });
    const store: ItemStore = { read: deps.store.read, commit: () => Promise.reject(lost) };
    await expect(issueFirstPair({ ...deps, store }, principal)).rejects.toMatchObject({
      name: 'unavailable',
      occurrence: { retryAfterSeconds: expect.any(Number) },
      cause: lost,
    });
  });
});

describe('refreshPair', () => {
  it('accepts a token for 24 hours, and a minute for the clocks', async () => {
    const { clock, signIn, refresh, refreshState } = await signInWorld();
    const [one, other] = [await signIn(), await signIn()];
    clock.nowMs = NOW_MS + 24 * HOUR_MS + 59_000;
    await refresh(one.refreshToken);
    clock.nowMs += 1_000;
    expect(await refreshState(other)).toBe('expired-token');
  });
});

describe('refreshPair with an idempotency key', () => {
  it('returns the same pair for a retry, which is not a second use', async () => {
    const { signIn, refresh, clock, accessState } = await signInWorld();
    const { refreshToken } = await signIn();
    const first = await refresh(refreshToken, 'key');
    clock.nowMs += 60_000;
    let replays = 0;
    const again = await refresh(refreshToken, 'key', () => replays++);
    expect(again).toEqual({ ...first, expiresIn: 1_740 });
    expect(replays).toBe(1);
    expect(await accessState(again)).toBe('good');
    await refresh(again.refreshToken);
  });

  it('counts another key as a second use', async () => {
    const { signIn, refresh, accessState } = await signInWorld();
    const { refreshToken } = await signIn();
    const pair = await refresh(refreshToken, 'key');
    await expect(refresh(refreshToken, 'other')).rejects.toMatchObject(unauthenticated);
    expect(await accessState(pair)).toBe('ended-family');
    await expect(refresh(refreshToken, 'key')).rejects.toMatchObject(unauthenticated);
  });

  it('refuses another token with the same key, which stays unused', async () => {
    const { signIn, refresh } = await signInWorld();
    const [one, other] = [await signIn(), await signIn()];
    await refresh(one.refreshToken, 'key');
    await expect(refresh(other.refreshToken, 'key')).rejects.toMatchObject({ name: 'idempotency-key-reused' });
    await refresh(other.refreshToken, 'another');
  });

  it('refuses a retry once the key that signed the pair is gone', async () => {
    const { signIn, deps } = await signInWorld();
    const { refreshToken } = await signIn();
    const idempotency = { key: 'key', leaseMs: 1_000, replayed: () => {} };
    await refreshPair(deps, sent(refreshToken), idempotency);
    const later = { ...deps, signingKeys: async () => [SIGNING_KEYS[1]] };
    await expect(refreshPair(later, sent(refreshToken), idempotency)).rejects.toMatchObject(unauthenticated);
  });
});
