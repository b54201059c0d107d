import { describe, expect, it } from 'vitest';
import type { Rate } from '../../../lib/contract/settings.ts';
import { MAX_FAMILIES } from '../../../lib/credentials/token-family.ts';
import { issueAccessToken, type TokenPair } from '../../../lib/credentials/token-pair.ts';
import { NOW_MS } from '../support.ts';
import { type OpenStore, signInWorld } from './world.ts';

const HOUR_MS = 3_600_000;

/** Tests the sign-ins of one company on a store. The store must keep expired items until the test removes them. */
export function describeSignIns(name: string, open: OpenStore): void {
  const world = (rate?: Rate) => signInWorld({ open, rate });

  /** Signs in several times, a millisecond apart. */
  async function signInTimes({ signIn, clock }: Awaited<ReturnType<typeof signInWorld>>, count: number) {
    const pairs: TokenPair[] = [];
    while (pairs.length < count) {
      pairs.push(await signIn());
      clock.nowMs += 1;
    }
    return pairs;
  }

  describe(`the sign-ins of a key in ${name}`, () => {
    it('are limited: one more ends the oldest one only', async () => {
      const own = await world();
      const other = await own.newKey();
      const others = await own.signIn(other);
      const [first, second, ...rest] = await signInTimes(own, MAX_FAMILIES);
      if (!first || !second) throw new Error('There are more than two sign-ins');
      expect(await own.accessState(first)).toBe('good');
      const newest = await own.signIn();
      expect([await own.accessState(first), await own.refreshState(first)]).toEqual([
        'evicted-family',
        'evicted-family',
      ]);
      for (const pair of [second, ...rest.slice(-2), newest, others]) expect(await own.accessState(pair)).toBe('good');
    });

    it('do not count families that have expired, and count old ones that were refreshed', async () => {
      const own = await world();
      const [oldest, ...others] = await signInTimes(own, MAX_FAMILIES);
      if (!oldest) throw new Error('There is a sign-in');
      // The oldest family is refreshed, and the others expire.
      own.clock.nowMs = NOW_MS + 20 * HOUR_MS;
      const kept = await own.refresh(oldest.refreshToken);
      own.clock.nowMs = NOW_MS + 25 * HOUR_MS;
      const more = await signInTimes(own, MAX_FAMILIES - 1);
      const again = await own.refresh(kept.refreshToken);
      expect(others[0] && (await own.refreshState(others[0]))).toBe('expired-token');
      // These sign-ins reach the limit again.
      await own.signIn();
      expect(more[0] && (await own.refreshState(more[0]))).toBe('good');
      expect(await own.refreshState(again)).toBe('evicted-family');
    });

    it('keep the limit for concurrent sign-ins', async () => {
      const own = await world();
      const pairs = await signInTimes(own, MAX_FAMILIES - 2);
      const late = await Promise.all([own.signIn(), own.signIn(), own.signIn(), own.signIn()]);
      const states = await Promise.all([...pairs.slice(0, 4), ...late].map(own.accessState));
      expect(states).toEqual(['evicted-family', 'evicted-family', 'good', 'good', 'good', 'good', 'good', 'good']);
    });

    it('without a refresh token end with their access tokens, and then no longer count', async () => {
      const own = await world();
      const pair = await own.signIn();
      const alone = [];
      for (let count = 1; count < MAX_FAMILIES; count++) alone.push(await issueAccessToken(own.deps, own.principal));
      expect(await own.accessState(alone[0] ?? pair)).toBe('good');
      own.clock.nowMs += 33 * 60_000;
      expect(await own.accessState(alone[0] ?? pair)).toBe('expired-token');
      await own.signIn();
      const next = await own.refresh(pair.refreshToken);
      expect(await own.accessState(next)).toBe('good');
    });

    it('cost a read and two writes, and a third write to end the oldest', async () => {
      const own = await world();
      await signInTimes(own, MAX_FAMILIES - 1);
      for (const writes of [2, 3]) {
        Object.assign(own.calls, { reads: 0, writes: 0 });
        await own.signIn();
        expect(own.calls).toEqual({ reads: 1, writes });
      }
    });
  });

  describe(`the rate of a company in ${name}`, () => {
    const limited = { name: 'rate-limited', occurrence: { retryAfterSeconds: 1 } };

    it('counts the sign-ins and refreshes of all keys together', async () => {
      const { clock, newKey, signIn, refresh } = await world({ perSecond: 2, burst: 3 });
      const other = await newKey();
      const pair = await signIn();
      await signIn(other);
      const next = await refresh(pair.refreshToken);
      await expect(signIn()).rejects.toMatchObject(limited);
      await expect(refresh(next.refreshToken)).rejects.toMatchObject(limited);
      clock.nowMs += 500;
      // The refused refresh did not use its token, so it still works.
      await refresh(next.refreshToken);
      await expect(signIn(other)).rejects.toMatchObject(limited);
    });

    it('holds for concurrent requests', async () => {
      const { signIn } = await world({ perSecond: 1, burst: 3 });
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => signIn()));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(limited);
    });

    it('refuses no concurrent requests within it', async () => {
      const { signIn } = await world({ perSecond: 50, burst: 100 });
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => signIn()));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    });

    it('recovers within a second after a clock was set back', async () => {
      const { clock, signIn } = await world({ perSecond: 1, burst: 2 });
      clock.nowMs += HOUR_MS;
      await Promise.all([signIn(), signIn()]);
      clock.nowMs -= HOUR_MS;
      await expect(signIn()).rejects.toMatchObject(limited);
      clock.nowMs += 1_000;
      await signIn();
    });

    it('is the same for machines whose clocks differ a little', async () => {
      const { clock, signIn } = await world({ perSecond: 10, burst: 2 });
      for (const aheadMs of [0, 200]) {
        clock.nowMs = NOW_MS + aheadMs;
        await signIn();
      }
      let taken = 2;
      for (let turn = 0; turn < 20; turn++) {
        clock.nowMs = NOW_MS + (turn % 2 === 0 ? 0 : 200);
        await signIn().then(
          () => taken++,
          () => {},
        );
      }
      // The bucket was full after the first 200 ms, and no time has passed since.
      expect(taken).toBe(2 + 1);
    });
  });
}
