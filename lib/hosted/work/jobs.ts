import * as z from 'zod/mini';
import { dueList } from '../../background/due-list.ts';
import { companyPartition, paddedId } from '../../idempotency/project-item.ts';
import type { Item, Key, Storage, Write } from '../../storage/port.ts';

/** A job: there may be work to do in a project. The records of the project say which. */
export interface JobRef {
  readonly companyId: string;
  readonly projectId: number;
  /** When the job is due, in milliseconds since 1970. A project may have several jobs, at different times. */
  readonly atMs: number;
}

/** The list of all jobs. */
export const JOBS = dueList<JobRef>({
  name: 'jobs',
  write: ({ companyId, projectId, atMs }) => `${companyId}/${projectId}/${atMs}`,
  read: (text) => {
    const [companyId = '', projectId, atMs] = text.split('/');
    return { companyId, projectId: Number(projectId), atMs: Number(atMs) };
  },
  groupOf: ({ companyId }) => companyId,
  idOf: ({ projectId }) => String(projectId).slice(-1),
});

/** Returns the storage key of a job. */
export function jobKey(job: JobRef): Key {
  return JOBS.keyOf(job, job.atMs);
}

/** Makes the write that adds a job. */
export function addJob(job: JobRef): Write {
  return { kind: 'put', key: jobKey(job), data: {} };
}

/** The schema of the lease on a project: one worker at a time works on a project. */
const LeaseData = z.strictObject({
  /** When the lease ends, in milliseconds since 1970. */
  endsAtMs: z.number(),
  /** How many runs failed one after the other. */
  failures: z.int(),
});

/** The lease on a project, as it was read from the store. */
export interface WorkLease {
  readonly key: Key;
  /** Absent if the project has no lease yet. */
  readonly item: Item | undefined;
  readonly endsAtMs: number;
  readonly failures: number;
}

/** Reads the lease on a project. */
export async function readLease(storage: Pick<Storage, 'read'>, { companyId, projectId }: JobRef): Promise<WorkLease> {
  const key = { partition: companyPartition(companyId), sort: `lease/${paddedId(projectId)}` };
  const item = await storage.read(key);
  return { key, item, ...(item ? LeaseData.parse(item.data) : { endsAtMs: 0, failures: 0 }) };
}

/**
 * Makes the write that changes a lease; refused if another worker has changed it. The lease expires after its end.
 * @param endsAtMs when the lease ends; now, to release it
 */
export function leaseWrite({ key, item }: Pick<WorkLease, 'key' | 'item'>, endsAtMs: number, failures: number): Write {
  const content = { key, data: { endsAtMs, failures }, expiresAtMs: endsAtMs + KEPT_MS };
  return item ? { kind: 'replace', version: item.version, ...content } : { kind: 'insert', ...content };
}

/** How long a lease is kept after its end, in milliseconds: longer than the pause after a failed run. */
const KEPT_MS = 86_400_000;
