import * as z from 'zod/mini';
import { recordOf } from '../storage/record.ts';
import { JOBS, type JobRef } from './job-list.ts';

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

const Body = recordOf({ companyId: z.string(), projectId: z.int(), atMs: z.int() });

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

/** A job that the queue delivered. */
export interface QueuedJob {
  readonly messageId: string;
  readonly job: JobRef;
}

/** Returns the jobs in an event of the queue. @throws if the event does not come from the queue */
export function queuedJobs(event: unknown): QueuedJob[] {
  return QueueEvent.parse(event).Records.map(({ messageId, body }) => ({
    messageId,
    job: Body.parse(JSON.parse(body)),
  }));
}
