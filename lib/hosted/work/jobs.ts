import * as z from 'zod/mini';
import { paddedId } from '../../idempotency/project-item.ts';
import { eachItem, type Item, type Key, type ListedStore, type Write } from '../../storage/port.ts';

/** The schema of a job: there may be work to do in a project. The records of the project say which. */
const JobData = z.strictObject({
  /** When the job is due, in milliseconds since 1970. */
  dueMs: z.number(),
  /** How many runs failed since the last one that did something. */
  failures: z.int(),
});

/** The project of a job. */
export interface JobRef {
  readonly companyId: string;
  readonly projectId: number;
}

/** A job, as it was read from the store. */
export interface Job extends JobRef {
  readonly key: Key;
  readonly version: number;
  readonly dueMs: number;
  readonly failures: number;
}

/** The number of partitions with jobs. DynamoDB limits how much one partition can write in a second. */
const SHARDS = 8;
const PARTITION = 'jobs/';

/** Makes the write that adds a job. If the project has a job, the write makes it due, and a running job runs again. */
export function addJob(ref: JobRef, nowMs: number): Write {
  return { kind: 'put', key: jobKey(ref), data: { dueMs: nowMs, failures: 0 } };
}

/** Makes the write that postpones a job; refused if somebody has added the job again. */
export function postponeJob({ key, version }: Job, dueMs: number, failures: number): Write {
  return { kind: 'replace', key, version, data: { dueMs, failures } };
}

/** Makes the write that ends a job; refused if somebody has added the job again. */
export function endJob({ key, version }: Job): Write {
  return { kind: 'remove', key, version };
}

/** Lists the jobs that are due, the longest due first. */
export async function dueJobs(store: ListedStore, nowMs: number): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let shard = 0; shard < SHARDS; shard++) {
    for await (const item of eachItem(store, PARTITION + shard, '')) {
      const job = jobOf(item);
      if (job.dueMs <= nowMs) jobs.push(job);
    }
  }
  return jobs.sort((one, other) => one.dueMs - other.dueMs);
}

/** Reads the job of a project; `undefined` if it has none. */
export async function readJob(store: Pick<ListedStore, 'read'>, ref: JobRef): Promise<Job | undefined> {
  const item = await store.read(jobKey(ref));
  return item && jobOf(item);
}

function jobKey({ companyId, projectId }: JobRef): Key {
  return { partition: PARTITION + (projectId % SHARDS), sort: `${companyId}/${paddedId(projectId)}` };
}

function jobOf({ partition, sort, version, data }: Item): Job {
  const [companyId = '', projectId] = sort.split('/');
  return { key: { partition, sort }, companyId, projectId: Number(projectId), version, ...JobData.parse(data) };
}
