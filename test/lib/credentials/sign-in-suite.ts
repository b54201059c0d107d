import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../lib/credentials/authenticate.ts';
import { keyRecordKey, storedKeys } from '../../../lib/credentials/key-directory.ts';
import type { Rate } from '../../../lib/credentials/rate-limit.ts';
import { storedRate } from '../../../lib/credentials/rate-limit.ts';
import { MAX_FAMILIES } from '../../../lib/credentials/token-family.ts';
import { issueFirstPair, refreshPair, type TokenPair } from '../../../lib/credentials/token-pair.ts';
import { Unauthenticated } from '../../../lib/credentials/unauthenticated.ts';
import { pause } from '../../../lib/storage/dynamodb/pause.ts';
import type { ItemStore } from '../../../lib/storage/port.ts';
import { NOW_MS } from '../support.ts';
import { authenticationWith, companyKey } from './world.ts';

const HOUR_MS = 3_600_000;

/** Sign-ins of one company, as every store has to keep them. The stores keep what has expired until they are told otherwise. */
export function describeSignIns(name: string, open: (now: () => number) => Promise<ItemStore>): void {
  /** A company with a key, and a clock that is moved by hand. */
  async function world(rate?: Rate) {
    const clock = { nowMs: NOW_MS };
    const now = () => clock.nowMs;
    const opened = await open(now);
    const companyId = `company-${randomUUID()}`;
    const calls = { reads: 0, writes: 0 };
    const store: ItemStore = {
      read: (key) => {
        calls.reads++;
        return opened.read(key);
      },
      commit: (batch) => {
        calls.writes += batch.writes.length;
        return opened.commit(batch);
      },
    };
    const newKey = async () => {
      const key = companyKey(companyId);
      await opened.commit({ writes: [{ kind: 'insert', key: keyRecordKey(companyId, key.keyId), data: key.record }] });
      return { companyId, keyId: key.keyId, scopes: [] };
    };
    const authentication = authenticationWith(storedKeys(store), {
      store,
      now,
      ...(rate && { rate: storedRate(store, rate, now, pause) }),
    });
    const principal = await newKey();
    const refusalOf = (work: Promise<unknown>) =>
      work.then(
        () => 'good',
        (error: unknown) => {
          if (error instanceof Unauthenticated) return error.refusal;
          throw error;
        },
      );
    return {
      clock,
      calls,
      newKey,
      signIn: (as = principal) => issueFirstPair(authentication, as),
      refresh: ({ refreshToken }: TokenPair) => refreshPair(authentication, refreshToken),
      stateOf: ({ accessToken }: TokenPair) => refusalOf(authenticate(`Bearer ${accessToken}`, authentication)),
      refreshState: ({ refreshToken }: TokenPair) => refusalOf(refreshPair(authentication, refreshToken)),
    };
  }

  /** Signs in one after the other, as the clock goes on. */
  async function signInTimes({ signIn, clock }: Awaited<ReturnType<typeof world>>, count: number) {
    const pairs: TokenPair[] = [];
    while (pairs.length < count) {
      pairs.push(await signIn());
      clock.nowMs += 1;
    }
    return pairs;
  }

  describe(`the live sign-ins of a key in ${name}`, () => {
    it('are so many at most: one more ends the oldest, and no other', async () => {
      const own = await world();
      const other = await own.newKey();
      const others = await own.signIn(other);
      const [first, second, ...rest] = await signInTimes(own, MAX_FAMILIES);
      if (!first || !second) throw new Error('There are more than two sign-ins');
      expect(await own.stateOf(first)).toBe('good');
      const newest = await own.signIn();
      expect([await own.stateOf(first), await own.refreshState(first)]).toEqual(['evicted-family', 'evicted-family']);
      for (const pair of [second, ...rest.slice(-2), newest, others]) expect(await own.stateOf(pair)).toBe('good');
    });

    it('count no family that has expired, however long ago its sign-in was', async () => {
      const own = await world();
      const [oldest, ...others] = await signInTimes(own, MAX_FAMILIES);
      if (!oldest) throw new Error('There is a sign-in');
      // The oldest goes on, and the others are forgotten.
      own.clock.nowMs = NOW_MS + 20 * HOUR_MS;
      const kept = await own.refresh(oldest);
      own.clock.nowMs = NOW_MS + 25 * HOUR_MS;
      const more = await signInTimes(own, MAX_FAMILIES - 1);
      const again = await own.refresh(kept);
      for (const pair of [others[0], others.at(-1)])
        expect(pair && (await own.refreshState(pair))).toBe('expired-token');
      // Now there are as many as there may be again.
      await own.signIn();
      expect(more[0] && (await own.refreshState(more[0]))).toBe('good');
      expect(await own.refreshState(again)).toBe('evicted-family');
    });

    it('stay below that limit when many sign in at once', async () => {
      const own = await world();
      const pairs = await signInTimes(own, MAX_FAMILIES - 2);
      const late = await Promise.all([own.signIn(), own.signIn(), own.signIn(), own.signIn()]);
      const states = await Promise.all([...pairs.slice(0, 4), ...late].map(own.stateOf));
      expect(states).toEqual(['evicted-family', 'evicted-family', 'good', 'good', 'good', 'good', 'good', 'good']);
    });

    it('cost a read and two writes, and a third where one has to end', async () => {
      const own = await world();
      await signInTimes(own, MAX_FAMILIES - 1);
      for (const writes of [2, 3]) {
        Object.assign(own.calls, { reads: 0, writes: 0 });
        await own.signIn();
        expect(own.calls).toEqual({ reads: 1, writes });
      }
      // A day later two of those that have expired are looked up, or if there is no room, each once.
      own.clock.nowMs += 25 * HOUR_MS;
      Object.assign(own.calls, { reads: 0, writes: 0 });
      await own.signIn();
      expect(own.calls).toEqual({ reads: 1 + MAX_FAMILIES, writes: 2 });
      Object.assign(own.calls, { reads: 0, writes: 0 });
      await own.signIn();
      expect(own.calls).toEqual({ reads: 1, writes: 2 });
    });
  });

  describe(`the rate of a company in ${name}`, () => {
    const limited = { name: 'rate-limited', occurrence: { retryAfterSeconds: 1 } };

    it('counts sign-ins and refreshes of all its keys together', async () => {
      const { clock, newKey, signIn, refresh } = await world({ perSecond: 2, burst: 3 });
      const other = await newKey();
      const pair = await signIn();
      await signIn(other);
      const next = await refresh(pair);
      await expect(signIn()).rejects.toMatchObject(limited);
      await expect(refresh(next)).rejects.toMatchObject(limited);
      clock.nowMs += 500;
      // The refused refresh has not used its token.
      await refresh(next);
      await expect(signIn(other)).rejects.toMatchObject(limited);
    });

    it('holds for requests at once', async () => {
      const { signIn } = await world({ perSecond: 1, burst: 3 });
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => signIn()));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(limited);
    });

    it('refuses nobody who is within it, however many come at once', async () => {
      const { signIn } = await world({ perSecond: 50, burst: 100 });
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => signIn()));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    });

    it('shuts nobody out for long when a clock is set back', async () => {
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
