import { within } from '../service/deadline.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  hasRecords,
  runDeadline,
} from './background-function.ts';
import type { DueWorker } from './due-worker.ts';
import type { JobRef } from './job-list.ts';
import { queuedJobs } from './job-queue.ts';
import { reportOf } from './work-alerts.ts';

/** The response to an event of the queue. The queue delivers the messages with these ids again. */
export interface QueueResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

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
      const deadline = runDeadline(context, options);
      if (!hasRecords(event)) {
        const counts = await workOnDue(within(SCHEDULED_MS, deadline, options.now));
        return { result: undefined, ...reportOf(counts, { waiting: 'jobs-waiting' }) };
      }
      const queued = queuedJobs(event);
      const failed = await workOn(
        queued.map(({ job }) => job),
        deadline,
      );
      const again = queued.filter(({ job }) => failed.includes(job));
      return { result: { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) } };
    },
    options,
  );
}
