import * as z from 'zod/mini';
import { recordOf } from '../storage/record.ts';
import { dueList } from './due-list.ts';

/** A job: there may be work to do in a project. The records of the project say which. */
export interface JobRef {
  readonly companyId: string;
  readonly projectId: number;
  /** When the job is due, in milliseconds since 1970. A project may have several jobs, at different times. */
  readonly atMs: number;
}

const DAY_MS = 86_400_000;

/** The list of all jobs. */
export const JOBS = /* @__PURE__ */ dueList<JobRef>({
  name: 'jobs',
  write: ({ projectId, atMs }) => `${projectId}/${atMs}`,
  read: (companyId, text) => {
    const [projectId, atMs] = text.split('/');
    return { companyId, projectId: Number(projectId), atMs: Number(atMs) };
  },
  idOf: ({ projectId }) => String(projectId).slice(-1),
  // A company that has used up its characters gets new ones at midnight (UTC).
  latestDueMs: (nowMs) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS,
});

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

/** Returns the jobs in an event of the queue, with the ids of their messages. @throws if the event is not from the queue */
export function queuedJobs(event: unknown): { readonly id: string; readonly ref: JobRef }[] {
  return QueueEvent.parse(event).Records.map(({ messageId, body }) => ({
    id: messageId,
    ref: Body.parse(JSON.parse(body)),
  }));
}
