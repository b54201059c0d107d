import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { isSameRequest, KEY_RETENTION_MS, recordKey } from '../../../lib/idempotency/request-record.ts';
import { type Outcome, runIdempotent } from '../../../lib/idempotency/run-idempotent.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { openSqlite } from '../storage/folder.ts';
import { expectProblem, heldNow, problemOf } from '../support.ts';
import { did, type Frozen, KEY, LEASE_MS, MEANING, Requests, told } from './fixture.ts';

const requests = (storage: Storage = openSqlite(heldNow)) => new Requests(storage);
const failing = (): Promise<never> => Promise.reject(new Problem('unavailable', { detail: 'Planted.' }));

describe('a key', () => {
  it('lets work be done runIdempotent, and gives its result to whoever comes later', async () => {
    const all = requests();
    expect(await all.send('a')).toEqual(did('a'));
    expect(await all.send('b')).toEqual(told('a'));
    expect(await all.send('c', { meaning: { operation: 'other', fingerprint: 'g' } })).toEqual(told('a'));
    expect(await all.effects()).toEqual(['a']);
  });

  it('belongs to its partition', async () => {
    const all = requests();
    await all.send('a', { key: recordKey('p', 'k') });
    expect(await all.send('b', { key: recordKey('q', 'k') })).toEqual(did('b'));
    expect(await all.send('c', { key: recordKey('p', 'K') })).toEqual(did('c'));
  });

  it('is kept for seven days, and is as new from then on, removed or not', async () => {
    const all = requests();
    await all.send('a');
    all.nowMs += KEY_RETENTION_MS - 1;
    expect(await all.send('b')).toEqual(told('a'));
    all.nowMs += 1;
    expect(await all.send('c')).toEqual(did('c'));
    expect(await all.send('d')).toEqual(told('c'));
    const item = await all.storage.read(KEY);
    await all.storage.commit({ writes: [{ kind: 'remove', key: KEY, version: item?.version ?? 0 }] });
    expect(await all.send('e')).toEqual(did('e'));
    expect(KEY_RETENTION_MS).toBe(7 * 24 * 60 * 60 * 1_000);
  });

  it('is kept for seven days from its result on, not from its claim', async () => {
    const all = requests();
    const slow = await all.freeze('a');
    all.nowMs += LEASE_MS - 1;
    await slow.goOn();
    all.nowMs += KEY_RETENTION_MS - 1;
    expect(await all.send('b')).toEqual(told('a'));
  });

  it('is kept as long as the request says, from its result on', async () => {
    const all = requests();
    const retentionMs = 90 * 86_400_000;
    await all.send('a', { retentionMs });
    all.nowMs += retentionMs - 1;
    expect(await all.send('b')).toEqual(told('a'));
    all.nowMs += 1;
    expect(await all.send('c')).toEqual(did('c'));
  });

  it('is kept as long as the first attempt said, whoever finishes the request', async () => {
    const all = requests();
    const retentionMs = 90 * 86_400_000;
    await problemOf(() => runIdempotent(all.request({ retentionMs }), failing));
    await all.send('a');
    all.nowMs += retentionMs - 1;
    expect(await all.send('b')).toEqual(told('a'));
  });

  it('holds no more than a hash of what was asked', async () => {
    const all = requests();
    await all.send('a');
    expect((await all.storage.read(KEY))?.data).toEqual({
      ...MEANING,
      leaseEndsAtMs: all.nowMs + LEASE_MS,
      result: 'a',
    });
  });
});

describe('while an attempt is at work', () => {
  it.each([
    [0, 2],
    [8_000, 2],
    [8_999, 2],
    [9_000, 1],
    [LEASE_MS - 1, 1],
  ])('and %i ms after its claim, others are to come back in %i s', async (afterMs, seconds) => {
    const all = requests();
    const slow = await all.freeze('a');
    all.nowMs += afterMs;
    const problem = await problemOf(() => all.send('b'));
    expect(problem).toMatchObject({ name: 'request-in-progress', occurrence: { retryAfterSeconds: seconds } });
    expect(await slow.goOn()).toEqual(did('a'));
  });

  it('another meaning is to come back too: which one is done is not decided', async () => {
    const all = requests();
    await all.freeze('a');
    await expectProblem('request-in-progress', () => all.send('b', { meaning: { operation: 'o', fingerprint: 'g' } }));
  });

  it('it is the only one, also where two claim at once', async () => {
    const all = requests();
    const claims = await Promise.allSettled([all.freeze('a'), all.freeze('b')]);
    expect(claims.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});

describe('an attempt whose lease is over', () => {
  it('is taken over from that very moment on, and gets the result of the other', async () => {
    const all = requests();
    const frozen = await all.freeze('a');
    all.nowMs += LEASE_MS;
    expect(await all.send('b')).toEqual(did('b'));
    expect(await frozen.goOn()).toEqual(told('b'));
    expect(await all.effects()).toEqual(['b']);
  });

  it('may still finish while nobody has taken over', async () => {
    const all = requests();
    const frozen = await all.freeze('a');
    all.nowMs += 2 * LEASE_MS;
    expect(await frozen.goOn()).toEqual(did('a'));
    expect(await all.send('b')).toEqual(told('a'));
  });

  it('never overwrites the claim of the other, which is still at work', async () => {
    const all = requests();
    const first = await all.freeze('a');
    all.nowMs += LEASE_MS;
    const second = await all.freeze('b');
    await expectProblem('request-in-progress', () => first.goOn());
    expect(await all.effects()).toEqual([]);
    expect(await second.goOn()).toEqual(did('b'));
  });

  it('does not free the key of the other when its own work fails', async () => {
    const all = requests();
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    const first = runIdempotent(all.request(), () => thawed.then(failing));
    await expectProblem('request-in-progress', () => all.send('x'));
    all.nowMs += LEASE_MS;
    const second = await all.freeze('b');
    thaw();
    await Promise.allSettled([first]);
    await expectProblem('request-in-progress', () => all.send('c'));
    expect(await second.goOn()).toEqual(did('b'));
  });

  it('gets the result of the other where its own work fails because that was done', async () => {
    const all = requests();
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    const first = runIdempotent(all.request(), () => thawed.then(failing));
    await expectProblem('request-in-progress', () => all.send('x'));
    all.nowMs += LEASE_MS;
    await all.send('b');
    thaw();
    expect(await first).toEqual(told('b'));
  });

  it('commits nothing after the other has failed and the key was free again', async () => {
    const all = requests();
    const frozen = await all.freeze('a');
    all.nowMs += LEASE_MS;
    await expectProblem('unavailable', () => runIdempotent(all.request(), failing));
    expect(await all.send('c')).toEqual(did('c'));
    expect(await frozen.goOn()).toEqual(told('c'));
    expect(await all.effects()).toEqual(['c']);
  });
});

describe('work that fails', () => {
  it('leaves the key free at runIdempotent, to another meaning too', async () => {
    const all = requests();
    await expectProblem('unavailable', () => runIdempotent(all.request(), failing));
    expect(await all.send('b', { meaning: { operation: 'o', fingerprint: 'g' } })).toEqual({
      kind: 'done',
      value: 'b',
    });
  });

  it('does not give its attempt’s number to the next: what is on its way of it arrives in vain', async () => {
    const all = requests();
    let late: () => Promise<unknown> = async () => undefined;
    await expectProblem('unavailable', () =>
      runIdempotent(all.request(), ({ settle }) => {
        late = () => all.effect('late', settle);
        return failing();
      }),
    );
    const second = await all.freeze('b');
    await expect(late()).rejects.toThrow();
    expect(await second.goOn()).toEqual(did('b'));
    await expect(late()).rejects.toThrow();
    expect(await all.effects()).toEqual(['b']);
  });

  it('after it took effect is told as unknown where its result cannot be read', async () => {
    const store = openSqlite(heldNow);
    let isBroken = false;
    const all = requests({
      read: (key) => (isBroken ? failing() : store.read(key)),
      commit: (batch) => store.commit(batch),
      list: (partition, range) => store.list(partition, range),
      readWithPayload: (key) => store.readWithPayload(key),
    });
    const lost = () =>
      runIdempotent(all.request(), async ({ settle }) => {
        await all.effect('a', settle);
        isBroken = true;
        return failing();
      });
    await expectProblem('outcome-unknown', lost);
    isBroken = false;
    expect(await all.send('b')).toEqual(told('a'));
  });

  it('after it took effect keeps its result', async () => {
    const all = requests();
    const lost = runIdempotent(all.request(), async ({ settle }) => {
      await all.effect('a', settle);
      return failing();
    });
    await Promise.allSettled([lost]);
    expect(await all.send('b')).toEqual(told('a'));
    expect(await all.effects()).toEqual(['a']);
  });

  it('is told as it is where the store is gone too, and its key is free when its lease is over', async () => {
    const storage = openSqlite(heldNow);
    let isGone = false;
    const all = requests({
      read: (key) => storage.read(key),
      list: (partition, range) => storage.list(partition, range),
      readWithPayload: (key) => storage.readWithPayload(key),
      commit: (batch) => (isGone ? failing() : storage.commit(batch)),
    });
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
  /** How an attempt begins, and when those that are frozen go on. */
  const anyStep = fc.oneof(
    fc.record({ kind: fc.constant('send' as const) }),
    fc.record({ kind: fc.constant('fail' as const) }),
    fc.record({ kind: fc.constant('freeze' as const) }),
    fc.record({ kind: fc.constant('go on' as const), which: fc.nat(5) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, LEASE_MS - 1, LEASE_MS) }),
  );

  it('takes effect once at most, and everybody is told the same', async () => {
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

describe('two requests', () => {
  it.each([
    [MEANING, true],
    [{ ...MEANING, operation: 'other' }, false],
    [{ ...MEANING, fingerprint: 'g' }, false],
  ])('are the same where operation and fingerprint are: %j', (other, same) => {
    expect(isSameRequest(MEANING, other)).toBe(same);
  });
});

/** What some work gives, unless it ends in a problem. */
async function unlessProblem<T>(work: () => Promise<T>): Promise<T[]> {
  try {
    return [await work()];
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

/** The result that an attempt is told, its own or another's. */
async function answersOf(attempt: () => Promise<Outcome<string>>): Promise<unknown[]> {
  const outcomes = await unlessProblem(attempt);
  return outcomes.map((outcome) => (outcome.kind === 'done' ? outcome.value : outcome.result));
}

/** A part of a store that is empty for one run. */
function inPartition(storage: Storage, partition: string): Storage {
  const here = <T extends { readonly key: { readonly sort: string } }>(write: T) => ({
    ...write,
    key: { partition, sort: write.key.sort },
  });
  return {
    read: ({ sort }) => storage.read({ partition, sort }),
    list: (_, range) => storage.list(partition, range),
    readWithPayload: ({ sort }) => storage.readWithPayload({ partition, sort }),
    commit: ({ writes }) => storage.commit({ writes: writes.map(here) }),
  };
}
