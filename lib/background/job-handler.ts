import { deadlineAt } from '../service/deadline.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  hasRecords,
} from './background-function.ts';
import type { DueWorker } from './due-worker.ts';
import type { JobRef } from './job-list.ts';
import { queuedJobs } from './job-queue.ts';
import { reportOf } from './work-alerts.ts';

/** The response to an event of the queue. The queue delivers the messages with these ids again. */
export interface QueueResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** How long before the function's time limit a run ends, in milliseconds. It needs the time to store its results. */
const MARGIN_MS = 5_000;
/** The time limit of a scheduled run, in milliseconds. It ends before the next one starts. */
const SCHEDULED_MS = 55_000;

/**
 * Makes the Lambda handler of the jobs. An event of the queue names jobs that were just added. Any other event comes from
 * the schedule, and starts a run over all due jobs.
 */
export function jobHandler(
  { workOn, workOnDue }: DueWorker<JobRef>,
  options: BackgroundOptions,
): BackgroundFunction<QueueResult | undefined> {
  return backgroundFunction(
    'jobs',
    async (event, context) => {
      const { now } = options;
      const leftMs = context.getRemainingTimeInMillis() - MARGIN_MS;
      if (!hasRecords(event)) {
        const deadline = deadlineAt(now() + Math.min(leftMs, SCHEDULED_MS), now);
        return { result: undefined, ...reportOf(await workOnDue(deadline), { waiting: 'jobs-waiting' }) };
      }
      const queued = queuedJobs(event);
      const failed = await workOn(
        queued.map(({ job }) => job),
        deadlineAt(now() + leftMs, now),
      );
      const again = queued.filter(({ job }) => failed.includes(job));
      return { result: { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) } };
    },
    options,
  );
}
