import { describe, expect, it } from 'vitest';
import { jobHandler, jobMessage } from '../../../lib/background/job-queue.ts';
import type { JobRef } from '../../../lib/deliveries/jobs.ts';
import { contextOf, keptLog } from '../http/fixture.ts';

const JOB: JobRef = { companyId: 'acme', projectId: 7, atMs: 1_000 };
const COUNTS = { done: 1, postponed: 0, dead: 0, left: 2, oldestMs: 5, letters: 0 };

/** Makes the handler of a worker that keeps its calls, and fails for these jobs. */
function handlerFailingFor(isFailing: (job: JobRef) => boolean) {
  const calls: { readonly jobs: readonly JobRef[] | 'due'; readonly remainingMs: number }[] = [];
  const { lines, options } = keptLog();
  const handler = jobHandler(
    {
      async workOn(jobs, { remainingMs }) {
        calls.push({ jobs, remainingMs: remainingMs() });
        return jobs.filter(isFailing);
      },
      async workOnDue({ remainingMs }) {
        calls.push({ jobs: 'due', remainingMs: remainingMs() });
        return COUNTS;
      },
    },
    options,
  );
  return { run: (event: unknown) => handler(event, contextOf(240_000)), calls, lines };
}

const eventOf = (...jobs: readonly JobRef[]) => ({
  Records: jobs.map((job, n) => ({ messageId: `message-${n}`, body: jobMessage(job).body })),
});

describe('the handler of jobs', () => {
  it('does the jobs of the queue, and returns those for which the store failed', async () => {
    const { run, calls } = handlerFailingFor(({ projectId }) => projectId === 8);
    const event = eventOf(JOB, { ...JOB, projectId: 8 });
    expect(await run(event)).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] });
    expect(calls).toEqual([{ jobs: [JOB, { ...JOB, projectId: 8 }], remainingMs: 235_000 }]);
  });

  it('does all due jobs on a schedule, ends before the next run, and logs counts', async () => {
    const { run, calls, lines } = handlerFailingFor(() => false);
    expect(await run({ source: 'aws.events' })).toBeUndefined();
    expect(calls).toEqual([{ jobs: 'due', remainingMs: 55_000 }]);
    expect(lines).toMatchObject([{ operation: 'jobs', ...COUNTS }]);
  });

  it('fails for a message that is no job', async () => {
    const { run } = handlerFailingFor(() => false);
    await expect(run({ Records: [{ messageId: 'a', body: '{}' }] })).rejects.toThrow();
  });
});

describe('the message of a job', () => {
  it('has two groups for each company, and the same group for each project', () => {
    const groups = Array.from({ length: 9 }, (_, projectId) => jobMessage({ ...JOB, projectId }).groupId);
    expect(new Set(groups)).toEqual(new Set(['acme/0', 'acme/1']));
    expect(jobMessage({ ...JOB, atMs: 2_000 }).groupId).toBe(jobMessage(JOB).groupId);
  });

  it('has an id for each time of a job, within the limits of the queue', () => {
    const longest = { companyId: 'c'.repeat(64), projectId: Number.MAX_SAFE_INTEGER, atMs: 9_999_999_999_999 };
    const { deduplicationId, groupId } = jobMessage(longest);
    for (const id of [deduplicationId, groupId]) expect(id).toMatch(/^[\w/-]{1,128}$/);
    expect(jobMessage({ ...JOB, atMs: 1_001 }).deduplicationId).not.toBe(jobMessage(JOB).deduplicationId);
    expect(jobMessage(JOB)).toEqual(jobMessage(JOB));
  });
});
