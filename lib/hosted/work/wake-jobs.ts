import { JOBS } from '../../deliveries/jobs.ts';
import { eachItem, type ListedStore, type Write } from '../../storage/port.ts';
import { jobKey, putJob, readJob } from './jobs.ts';

/**
 * Makes all jobs of a company due now, because its limits have changed. A job that runs now, and may have read the limits
 * before, runs once more.
 */
export async function wakeJobs(store: ListedStore, companyId: string, nowMs: number): Promise<void> {
  await Promise.all(JOBS.partitions().map((partition) => wakeIn(store, partition, companyId, nowMs)));
}

async function wakeIn(store: ListedStore, partition: string, companyId: string, nowMs: number): Promise<void> {
  for await (const item of eachItem(store, partition, JOBS.prefixOf(companyId))) {
    const job = JOBS.entryAt(item);
    if (!job) continue;
    const isDue = job.atMs <= nowMs;
    // A job that is added again stays at the end of its run.
    const writes: Write[] = [putJob(isDue ? job : { ...job, atMs: nowMs }, readJob(item))];
    if (!isDue) writes.push({ kind: 'remove', key: jobKey(job), version: item.version });
    // If the store refuses this, a worker has started the job since it was listed, with the new limits.
    await store.commit({ writes });
  }
}
