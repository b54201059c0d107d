import * as z from 'zod/mini';
import { JOBS, type JobRef } from '../../deliveries/jobs.ts';
import { companyPartition, paddedId } from '../../records/keys.ts';
import type { CallContext } from '../../service/port.ts';
import { backoffMs } from '../../service/retry.ts';
import type { Item, Key, Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';

/** Returns the storage key of a job. */
export function jobKey(job: JobRef): Key {
  return JOBS.keyOf(job, job.atMs);
}

/** The schema of a job. Its key says when it is due, and for which project. */
const JobData = recordOf(() => ({
  /** The trace of the request that made the job. */
  traceId: z.optional(z.string()),
}));
type JobData = Readonly<z.infer<typeof JobData>>;

/** Makes the write that adds a job. @param origin the request that makes the job */
export function addJob(job: JobRef, { traceId }: Pick<CallContext, 'traceId'>): Write {
  return putJob(job, traceId === undefined ? {} : { traceId });
}

/** Makes the write that adds a job again, to be due at another time. */
export function putJob(job: JobRef, data: JobData): Write {
  return { kind: 'put', key: jobKey(job), data };
}

/** Reads a job. @throws if the data has another shape */
export function readJob({ data }: Pick<Item, 'data'>): JobData {
  return JobData.parse(data);
}

/** The schema of the lease on a project: one worker at a time works on a project. */
const LeaseData = recordOf(() => ({
  /** When the lease ends, in milliseconds since 1970. */
  endsAtMs: z.number(),
  /** How many runs failed one after the other. A run counts from its start, until it ends for another reason. */
  failures: z.int(),
  /** Before this time no run calls the engine, because it has failed, in milliseconds since 1970. */
  retryAtMs: z.optional(z.number()),
  /** How many runs ended with an error one after the other, such as a failure of the store. They count as no failures. */
  errors: z.optional(z.int()),
}));

type LeaseData = Readonly<z.infer<typeof LeaseData>>;

/** What the next runs of a job have to know of those that failed. */
export type Backoff = Pick<LeaseData, 'failures' | 'retryAtMs' | 'errors'>;

/** No run has failed since the last one that stored a result. */
export const NO_BACKOFF: Backoff = { failures: 0, retryAtMs: undefined, errors: undefined };

/** The pauses after failed runs, in milliseconds. */
const BACKOFF = { firstMs: 2_000, longestMs: 600_000 };

/** Returns how long the next run waits after this many failed ones, in milliseconds. */
export function pauseAfter(failures: number): number {
  return failures === 0 ? 0 : backoffMs(failures, BACKOFF, 1);
}

/** The lease on a project, as it was read from the store. */
export interface WorkLease {
  readonly key: Key;
  /** Absent if the project has no lease yet. */
  readonly item: Item | undefined;
  readonly data: LeaseData;
}

/** Reads the lease on a project. */
export async function readLease(storage: Pick<Storage, 'read'>, { companyId, projectId }: JobRef): Promise<WorkLease> {
  const key = { partition: companyPartition(companyId), sort: `lease/${paddedId(projectId)}` };
  const item = await storage.read(key);
  return { key, item, data: item ? LeaseData.parse(item.data) : { endsAtMs: 0, ...NO_BACKOFF } };
}

/**
 * Makes the write that changes a lease; refused if another worker has changed it. The lease expires after its end.
 * @param endsAtMs when the lease ends; now, to release it
 */
export function leaseWrite({ key, item, data }: WorkLease, endsAtMs: number, backoff: Backoff): Write {
  const content = { key, data: { ...data, ...backoff, endsAtMs }, expiresAtMs: endsAtMs + KEPT_MS };
  return item ? { kind: 'replace', version: item.version, ...content } : { kind: 'insert', ...content };
}

/** How long a lease is kept after its end, in milliseconds: longer than the pause after a failed run. */
const KEPT_MS = 86_400_000;
