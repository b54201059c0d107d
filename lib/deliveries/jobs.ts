import { dueList } from './due-list.ts';

/** A job: there may be work to do in a project. The records of the project say which. */
export interface JobRef {
  readonly companyId: string;
  readonly projectId: number;
  /** When the job is due, in milliseconds since 1970. A project may have several jobs, at different times. */
  readonly atMs: number;
}

const DAY_MS = 86_400_000;

/** Returns when the next day (UTC) begins, in milliseconds since 1970. */
export function nextDayMs(nowMs: number): number {
  return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
}

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
  latestDueMs: nextDayMs,
});
