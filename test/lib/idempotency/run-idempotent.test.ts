import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { type Outcome, runIdempotent } from '../../../lib/idempotency/run-idempotent.ts';
import { KEY_RETENTION_MS } from '../../../lib/records/request-record.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { storeWith } from '../../faults/faulty.ts';
import { openSqlite } from '../storage/folder.ts';
import { expectProblem, heldNow, problemOf } from '../support.ts';
import { did, type Frozen, IDENTITY, KEY, LEASE_MS, Requests, told } from './fixture.ts';

const DAY_MS = 86_400_000;
const requests = (storage: Storage = openSqlite(heldNow)) => new Requests(storage);
const failing = (): Promise<never> => Promise.reject(new Problem('unavailable', { detail: 'Planted.' }));

describe('a key', () => {
  it('runs its work once, and returns the result to later requests', async () => {
    const all = requests();
    expect(await all.send('a')).toEqual(did('a'));
    expect(await all.send('b')).toEqual(told('a'));
    expect(await all.send('c', { identity: { operation: 'other', fingerprint: 'g' } })).toEqual(told('a'));
    expect(await all.effects()).toEqual(['a']);
  });

  it.each([
    ['seven days', KEY_RETENTION_MS, {}],
    ['as long as the request asks', 90 * DAY_MS, { retentionMs: 90 * DAY_MS }],
  ])('is kept for %s from its result on', async (_, retentionMs, options) => {
    const all = requests();
    expect(KEY_RETENTION_MS).toBe(7 * DAY_MS);
    const slow = await all.freeze('a', options);
    all.nowMs += LEASE_MS - 1;
    await slow.goOn();
    all.nowMs += retentionMs - 1;
    expect(await all.send('b')).toEqual(told('a'));
    all.nowMs += 1;
    expect(await all.send('c')).toEqual(did('c'));
    expect(await all.send('d')).toEqual(told('c'));
    const item = await all.storage.read(KEY);
    await all.storage.commit({ writes: [{ kind: 'remove', key: KEY, version: item?.version ?? 0 }] });
    expect(await all.send('e')).toEqual(did('e'));
  });

  it('is kept as long as the first attempt requested, whoever finishes the request', async () => {
    const all = requests();
    const retentionMs = 90 * DAY_MS;
    await problemOf(() => runIdempotent(all.request({ retentionMs }), failing));
    await all.send('a');
    all.nowMs += retentionMs - 1;
    expect(await all.send('b')).toEqual(told('a'));
  });

  it('keeps only a hash of the request', async () => {
    const all = requests();
    await all.send('a');
    expect((await all.storage.read(KEY))?.data).toEqual({
      ...IDENTITY,
      leaseEndsAtMs: all.nowMs + LEASE_MS,
      result: 'a',
    });
  });
});

describe('a running attempt', () => {
  it.each([
    [0, 2],
    [8_999, 2],
    [9_000, 1],
    [LEASE_MS - 1, 1],
  ])('tells others after %i ms to retry in %i s', async (afterMs, seconds) => {
    const all = requests();
    const slow = await all.freeze('a');
    all.nowMs += afterMs;
    const problem = await problemOf(() => all.send('b'));
    expect(problem).toMatchObject({ name: 'request-in-progress', occurrence: { retryAfterSeconds: seconds } });
    expect(await slow.goOn()).toEqual(did('a'));
  });
});

describe('an attempt whose lease has ended', () => {
  /** Returns an attempt whose lease has ended, and whose work fails when it goes on. */
  async function failingLate() {
    const all = requests();
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    const first = runIdempotent(all.request(), () => thawed.then(failing));
    await expectProblem('request-in-progress', () => all.send('x'));
    all.nowMs += LEASE_MS;
    return { all, first, thaw };
  }

  it('does not free the key of the other if its own work fails', async () => {
    const { all, first, thaw } = await failingLate();
    const second = await all.freeze('b');
    thaw();
    await Promise.allSettled([first]);
    await expectProblem('request-in-progress', () => all.send('c'));
    expect(await second.goOn()).toEqual(did('b'));
  });

  it('gets the result of the other if its own work fails', async () => {
    const { all, first, thaw } = await failingLate();
    await all.send('b');
    thaw();
    expect(await first).toEqual({ ...told('b'), mayBeOwn: true });
  });
});

describe('work that fails', () => {
  it('frees the key, also for other content', async () => {
    const all = requests();
    await expectProblem('unavailable', () => runIdempotent(all.request(), failing));
    expect(await all.send('b', { identity: { operation: 'o', fingerprint: 'g' } })).toEqual({
      kind: 'done',
      value: 'b',
    });
  });

  it('does not give its version to the next attempt, so that its late commits are refused', async () => {
    const all = requests();
    let late: () => Promise<unknown> = async () => undefined;
    await expectProblem('unavailable', () =>
      runIdempotent(all.request(), ({ resultWrite }) => {
        late = () => all.effect('late', resultWrite);
        return failing();
      }),
    );
    const second = await all.freeze('b');
    await expect(late()).rejects.toThrow();
    expect(await second.goOn()).toEqual(did('b'));
    await expect(late()).rejects.toThrow();
    expect(await all.effects()).toEqual(['b']);
  });

  it('has an unknown outcome if it took effect and its result cannot be read', async () => {
    const store = openSqlite(heldNow);
    let isBroken = false;
    const read: Storage['read'] = (key) => (isBroken ? failing() : store.read(key));
    const all = requests(storeWith(store, { read }));
    const lost = () =>
      runIdempotent(all.request(), async ({ resultWrite }) => {
        await all.effect('a', resultWrite);
        isBroken = true;
        return failing();
      });
    await expectProblem('outcome-unknown', lost);
    isBroken = false;
    expect(await all.send('b')).toEqual(told('a'));
  });

  it('keeps its error if the store fails too, and its lease frees the key', async () => {
    const storage = openSqlite(heldNow);
    let isGone = false;
    const commit: Storage['commit'] = (batch) => (isGone ? failing() : storage.commit(batch));
    const all = requests(storeWith(storage, { commit }));
    const refused = runIdempotent(all.request(), () => {
      isGone = true;
      return Promise.reject(new Problem('custom-id-in-use', { detail: 'Planted.' }));
    });
    await expect(refused).rejects.toMatchObject({ name: 'custom-id-in-use' });
    isGone = false;
    await expectProblem('request-in-progress', () => all.send('b'));
    all.nowMs += LEASE_MS;
    expect(await all.send('b')).toEqual(did('b'));
  });
});

describe('any history of attempts', () => {
  /** A step: how an attempt begins, and when the frozen ones go on. */
  const anyStep = fc.oneof(
    fc.record({ kind: fc.constant('send' as const) }),
    fc.record({ kind: fc.constant('fail' as const) }),
    fc.record({ kind: fc.constant('freeze' as const) }),
    fc.record({ kind: fc.constant('go on' as const), which: fc.nat(5) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, LEASE_MS - 1, LEASE_MS) }),
  );

  it('takes effect at most once, and every request gets the same result', async () => {
    const storage = openSqlite(heldNow);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), async (steps) => {
        const partition = `p${run++}`;
        const all = new Requests(inPartition(storage, partition));
        const heard: unknown[] = [];
        const frozen: Frozen[] = [];
        for (const [index, step] of steps.entries()) {
          const name = `${index}`;
          if (step.kind === 'wait') all.nowMs += step.ms;
          else if (step.kind === 'send') heard.push(...(await answersOf(() => all.send(name))));
          else if (step.kind === 'fail') heard.push(...(await answersOf(() => runIdempotent(all.request(), failing))));
          else if (step.kind === 'freeze') frozen.push(...(await unlessProblem(() => all.freeze(name))));
          else for (const one of frozen.splice(step.which, 1)) heard.push(...(await answersOf(one.goOn)));
        }
        for (const one of frozen) heard.push(...(await answersOf(one.goOn)));
        const effects = await all.effects();
        expect(effects.length).toBeLessThanOrEqual(1);
        expect([...new Set(heard)]).toEqual(heard.length > 0 ? effects : []);
      }),
      { numRuns: 150 },
    );
  });
});

/** Returns the result of some work in a list, which is empty if the work ends in a problem. */
async function unlessProblem<T>(work: () => Promise<T>): Promise<T[]> {
  try {
    return [await work()];
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

/** Returns the result that an attempt gets: its own or another's. */
async function answersOf(attempt: () => Promise<Outcome<string>>): Promise<unknown[]> {
  const outcomes = await unlessProblem(attempt);
  return outcomes.map((outcome) => (outcome.kind === 'done' ? outcome.value : outcome.result));
}

/** Returns a part of a store that is empty for one run. */
function inPartition(storage: Storage, partition: string): Storage {
  const here = <T extends { readonly key: { readonly sort: string } }>(write: T) => ({
    ...write,
    key: { partition, sort: write.key.sort },
  });
  return {
    read: ({ sort }) => storage.read({ partition, sort }),
    list: (_, range) => storage.list(partition, range),
    readWithPayload: ({ sort }) => storage.readWithPayload({ partition, sort }),
    readPayloadRange: (item, range) => storage.readPayloadRange({ ...item, partition }, range),
    commit: ({ writes }) => storage.commit({ writes: writes.map(here) }),
  };
}
