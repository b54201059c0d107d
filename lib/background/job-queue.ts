import * as z from 'zod/mini';
import type { DueWorker } from '../deliveries/due-worker.ts';
import { JOBS, type JobRef } from '../deliveries/jobs.ts';
import { recordOf } from '../storage/record.ts';
import type { BackgroundOptions } from './background-function.ts';
import { dueHandler } from './delivery-handler.ts';

/** A message of the queue of jobs. It has ids and a time, and no content of the project. */
export interface JobMessage {
  /** The queue has at most one message of a group in work. */
  readonly groupId: string;
  /** The queue drops a message whose id it received a few minutes before. */
  readonly deduplicationId: string;
  readonly body: string;
}

/** How many projects of one company may be in work at once, so that a company does not delay the others. */
const SLOTS = 2;

const Body = recordOf(() => ({ companyId: z.string(), projectId: z.int(), atMs: z.int() }));

/** Makes the message of a job. The jobs of a project are in one group, and so run one after the other. */
export function jobMessage({ companyId, projectId, atMs }: JobRef): JobMessage {
  return {
    groupId: `${companyId}/${projectId % SLOTS}`,
    deduplicationId: JOBS.keyOf({ companyId, projectId, atMs }, atMs).sort,
    body: JSON.stringify({ companyId, projectId, atMs } satisfies z.infer<typeof Body>),
  };
}

/** The parts of an event of the queue that Segue reads. */
const QueueEvent = z.object({ Records: z.array(z.object({ messageId: z.string(), body: z.string() })) });

/** Returns the jobs in an event of the queue, with the ids of their messages. @throws if the event is not from the queue */
function queuedJobs(event: unknown): { readonly id: string; readonly ref: JobRef }[] {
  return QueueEvent.parse(event).Records.map(({ messageId, body }) => ({
    id: messageId,
    ref: Body.parse(JSON.parse(body)),
  }));
}

/** Makes the Lambda handler of the jobs, which a queue delivers. A scheduled run ends before the next one starts. */
export function jobHandler(worker: DueWorker<JobRef>, options: BackgroundOptions) {
  return dueHandler(
    {
      operation: 'jobs',
      alerts: { waiting: 'jobs-waiting' },
      entriesIn: queuedJobs,
      margin: 'report',
      limitsMs: { run: 55_000 },
    },
    worker,
    options,
  );
}
