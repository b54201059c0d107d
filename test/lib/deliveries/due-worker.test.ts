import { expect, it } from 'vitest';
import { dueWorker } from '../../../lib/deliveries/due-worker.ts';
import { JOBS, type JobRef } from '../../../lib/deliveries/jobs.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { VirtualClock } from '../../faults/simulation/clock.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

it('counts an entry for which the store failed as left, until another attempt of the run succeeds', async () => {
  const clock = new VirtualClock(60);
  const store = new MemoryStorage();
  const attempts = new Map<number, number>();
  const worker = dueWorker<JobRef>({
    store,
    now: clock.now,
    list: JOBS,
    letters: 'letters',
    maxRunning: 8,
    maxRunningOfGroup: 8,
    attemptMs: 1_000,
    pause: clock.sleep,
    onAttempt: () => {},
    async attempt(job) {
      const attempt = (attempts.get(job.projectId) ?? 0) + 1;
      attempts.set(job.projectId, attempt);
      // The first one succeeds at once, the second one later, and the third one never. The fourth one keeps the run busy.
      if (job.projectId === 2 && attempt === 1) throw new RangeError('The store fails');
      if (job.projectId === 3) throw new RangeError('The store fails');
      if (job.projectId === 4) await clock.sleep(30_000);
      const key = JOBS.keyOf(job, job.atMs);
      const { version = 0 } = (await store.read(key)) ?? {};
      await store.commit({ writes: [{ kind: 'remove', key, version }] });
      return { end: 'done' };
    },
  });
  for (const projectId of [1, 2, 3, 4]) {
    const job = { companyId: 'acme', projectId, atMs: clock.nowMs };
    await store.commit({ writes: [{ kind: 'insert', key: JOBS.keyOf(job, job.atMs), data: {} }] });
  }
  const run = worker.workOnDue(deadlineAt(clock.nowMs + 29_000, clock.now));
  expect(await clock.run(run)).toMatchObject({ done: 3, left: 1, oldestMs: 30_000 });
});

it.each([1_000, 1_500, 2_000])(
  'counts entries as left that are not in its last listing, after %i ms',
  async (runMs) => {
    const clock = new VirtualClock(60);
    const store = new MemoryStorage();
    const worker = dueWorker<JobRef>({
      store,
      now: clock.now,
      list: JOBS,
      letters: 'letters',
      maxRunning: 2,
      maxRunningOfGroup: 1,
      attemptMs: 1,
      pause: clock.sleep,
      onAttempt: () => {},
      async attempt() {
        await clock.sleep(10_000);
        return { end: 'postponed' };
      },
    });
    for (let company = 10; company < 22; company++) {
      for (let n = 0; n < 60; n++) {
        const atMs = clock.nowMs - (company === 10 ? 600_000 : 0);
        const job = { companyId: `company-${company}`, projectId: n * 10, atMs };
        await store.commit({ writes: [{ kind: 'insert', key: JOBS.keyOf(job, atMs), data: {} }] });
      }
    }
    const { left, oldestMs } = await clock.run(worker.workOnDue(deadlineAt(clock.nowMs + runMs, clock.now)));
    expect(left).toBeGreaterThan(600);
    expect(oldestMs).toBe(610_000);
  },
);
