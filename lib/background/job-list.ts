import { dueList } from './due-list.ts';

/** A job: there may be work to do in a project. The records of the project say which. */
export interface JobRef {
  readonly companyId: string;
  readonly projectId: number;
  /** When the job is due, in milliseconds since 1970. A project may have several jobs, at different times. */
  readonly atMs: number;
}

/** The list of all jobs. */
export const JOBS = /* @__PURE__ */ dueList<JobRef>({
  name: 'jobs',
  write: ({ companyId, projectId, atMs }) => `${companyId}/${projectId}/${atMs}`,
  read: (text) => {
    const [companyId = '', projectId, atMs] = text.split('/');
    return { companyId, projectId: Number(projectId), atMs: Number(atMs) };
  },
  groupOf: ({ companyId }) => companyId,
  idOf: ({ projectId }) => String(projectId).slice(-1),
});
