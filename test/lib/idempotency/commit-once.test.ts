import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { RecordTaken, type ResultWrite } from '../../../lib/idempotency/commit.ts';
import { type CommittedRequest, commitOnce } from '../../../lib/idempotency/commit-once.ts';
import type { Outcome } from '../../../lib/idempotency/run-idempotent.ts';
import { KEY_RETENTION_MS } from '../../../lib/records/request-record.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { expectProblem, NOW_MS, problemOf } from '../support.ts';
import { did, IDENTITY, KEY, LEASE_MS, Requests, told } from './fixture.ts';

const OTHER = { operation: 'other', fingerprint: 'g' };
const refusing = (): Promise<never> => Promise.reject(new Problem('plan-outdated', { detail: 'Planted.' }));

/** How the answer to a commit is lost: after the commit was made, before it is made, or because it is never made. */
type Loss = 'made' | 'late' | 'never';

/** Requests with one key that claim nothing, and a store that can lose the answers to their commits. */
class Unclaimed {
  nowMs = NOW_MS;
  readonly storage = new MemoryStorage();
  readonly claiming = new Requests(this.storage);
  /** How the next answers are lost. */
  readonly losses: Loss[] = [];
  /** The commits that arrive late. */
  readonly late: (() => Promise<unknown>)[] = [];
  works = 0;

  request(changes: Partial<CommittedRequest> = {}): CommittedRequest {
    const commit: Storage['commit'] = async (batch) => {
      const loss = this.losses.shift();
      if (loss === undefined) return this.storage.commit(batch);
      if (loss === 'made') await this.storage.commit(batch);
      if (loss === 'late') this.late.push(() => this.storage.commit(batch));
      throw new Problem('outcome-unknown', { detail: 'Planted.' });
    };
    const storage = { read: this.storage.read.bind(this.storage), commit };
    return { storage, key: KEY, identity: IDENTITY, now: () => this.nowMs, ...changes };
  }

  /** Runs the work under the key, which commits an item with the name. @param before runs before the commit */
  send(name: string, changes?: Partial<CommittedRequest>, before = async () => {}): Promise<Outcome<string>> {
    const request = this.request(changes);
    return commitOnce(request, async (resultWrite: ResultWrite) => {
      this.works++;
      await before();
      const item = { kind: 'insert', key: { ...KEY, sort: `effect/${name}` }, data: name } as const;
      const commit = await request.storage.commit({ writes: [item, resultWrite(name)] });
      if (!commit.ok) throw new RecordTaken();
      return name;
    });
  }

  effects(): Promise<unknown[]> {
    return this.claiming.effects();
  }
}

describe('a request whose effect is one commit', () => {
  it('runs once; its duplicates and retries get its result, also if they have other content or are refused', async () => {
    const all = new Unclaimed();
    expect(await Promise.all(['a', 'b', 'c'].map((name) => all.send(name)))).toEqual([did('a'), told('a'), told('a')]);
    expect(await all.send('d', { identity: OTHER })).toEqual(told('a'));
    expect(await commitOnce(all.request(), refusing)).toEqual(told('a'));
    expect(await all.effects()).toEqual(['a']);
  });

  it('leaves its key free if it is refused, and stores nothing', async () => {
    const all = new Unclaimed();
    await expectProblem('plan-outdated', () => commitOnce(all.request(), refusing));
    expect(all.storage.all()).toEqual([]);
    expect(await all.send('a', { identity: OTHER })).toEqual(did('a'));
  });

  it('keeps its key for its time, and only a hash of it', async () => {
    const all = new Unclaimed();
    await all.send('a');
    expect((await all.storage.read(KEY))?.data).toEqual({ ...IDENTITY, leaseEndsAtMs: 0, result: 'a' });
    all.nowMs += KEY_RETENTION_MS - 1;
    expect(await all.send('b')).toEqual(told('a'));
    all.nowMs += 1;
    expect(await all.send('c', { retentionMs: 1 })).toEqual(did('c'));
    expect(await all.send('d')).toEqual(told('c'));
    all.nowMs += 1;
    expect(await all.send('e', { isDear: true, retentionMs: 1 })).toEqual(did('e'));
    all.nowMs += 1;
    await expectProblem('plan-outdated', () => commitOnce(all.request(), refusing));
  });

  it('reads its record before work that is dear, and otherwise only after a refusal', async () => {
    const all = new Unclaimed();
    await all.send('a', { isDear: true });
    await all.send('b', { isDear: true });
    expect(all.works).toBe(1);
    await all.send('c');
    expect(all.works).toBe(2);
  });

  it('is refused while another attempt holds a claim, and takes over its key afterwards', async () => {
    const all = new Unclaimed();
    const frozen = await all.claiming.freeze('claimed');
    await expectProblem('request-in-progress', () => all.send('a'));
    all.nowMs += LEASE_MS;
    expect(await all.send('b')).toEqual(did('b'));
    expect(await frozen.goOn()).toEqual({ ...told('b'), mayBeOwn: true });
    expect(await all.effects()).toEqual(['b']);
  });
});

describe('a commit whose outcome is unknown', () => {
  it('keeps its key as long as its request asked, whoever repeats it', async () => {
    const all = new Unclaimed();
    all.losses.push('never');
    await expectProblem('unavailable', () => all.send('a', { retentionMs: 2 * KEY_RETENTION_MS }));
    all.nowMs += 1_000;
    await all.send('b');
    all.nowMs += 2 * KEY_RETENTION_MS - 1_001;
    expect(await all.send('c')).toEqual(told('b'));
  });

  it('was made: its result is returned', async () => {
    const all = new Unclaimed();
    all.losses.push('made');
    expect(await all.send('a')).toEqual({ ...told('a'), mayBeOwn: true });
  });

  it.each<Loss[]>([['late'], ['never'], ['late', 'made']])(
    'was made %s: it is fenced off, and a retry after the pause runs',
    async (...losses) => {
      const all = new Unclaimed();
      all.losses.push(...losses);
      expect(await problemOf(() => all.send('a'))).toMatchObject({
        name: 'unavailable',
        occurrence: { retryAfterSeconds: 1 },
      });
      for (const arrive of all.late) await arrive();
      expect(await all.effects()).toEqual([]);
      all.nowMs += 1_000;
      expect(await all.send('b')).toEqual(did('b'));
      expect(await all.send('c')).toEqual(told('b'));
    },
  );

  it('fences off the attempts that were at work then, because its client was told that nothing was done', async () => {
    const all = new Unclaimed();
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    const slow = all.send('slow', {}, () => thawed);
    all.nowMs += 9_000;
    all.losses.push('never');
    await expectProblem('unavailable', () => all.send('a'));
    thaw();
    await expectProblem('unavailable', () => slow);
    expect(await all.effects()).toEqual([]);
  });

  it('stays unknown if neither the fence nor the record is possible', async () => {
    const all = new Unclaimed();
    all.losses.push('late', 'never');
    const read = () => Promise.reject(new Problem('unavailable', { detail: 'Planted.' }));
    const { storage } = all.request();
    await expectProblem('outcome-unknown', () => all.send('a', { storage: { ...storage, read } }));
    for (const arrive of all.late) await arrive();
    expect(await all.send('b')).toEqual(told('a'));
  });
});

describe('any history of requests', () => {
  const anyStep = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    losses: fc.array(fc.constantFrom<Loss>('made', 'late', 'never'), { maxLength: 3 }),
    refuses: fc.boolean(),
    isDear: fc.boolean(),
    waitsMs: fc.constantFrom(0, 999, 1_000, 2_000),
    arrives: fc.boolean(),
  });

  it('takes effect at most once, tells every request the same, and nothing appears that was denied', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(anyStep, { minLength: 1, maxLength: 8 }), async (scheduler, steps) => {
        const all = new Unclaimed();
        const heard: unknown[] = [];
        const denied: string[] = [];
        const sent = steps.map(async ({ losses, refuses, isDear, waitsMs, arrives }, index) => {
          const name = `${index}`;
          await scheduler.schedule(Promise.resolve());
          all.nowMs += waitsMs;
          if (arrives) await all.late.shift()?.();
          all.losses.push(...losses);
          const pause = () => scheduler.schedule(Promise.resolve());
          try {
            const outcome = refuses
              ? await commitOnce(all.request({ isDear }), refusing)
              : await all.send(name, { isDear }, pause);
            heard.push(outcome.kind === 'done' ? outcome.value : outcome.result);
          } catch (error) {
            if (!(error instanceof Problem)) throw error;
            if (error.name === 'unavailable') denied.push(name);
          }
        });
        await scheduler.waitFor(Promise.all(sent));
        for (const arrive of all.late) await arrive();
        const effects = await all.effects();
        expect(effects.length).toBeLessThanOrEqual(1);
        expect(heard.filter((result) => result !== effects[0])).toEqual([]);
        expect(denied.filter((name) => effects.includes(name))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});
