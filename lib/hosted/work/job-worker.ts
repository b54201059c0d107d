import { Problem } from '../../contract/problem.ts';
import {
  type Attempted,
  type AttemptResult,
  type DueWorker,
  type DueWorkerOptions,
  dueWorker,
} from '../../deliveries/due-worker.ts';
import { JOBS, type JobRef } from '../../deliveries/jobs.ts';
import type { Deadline } from '../../service/deadline.ts';
import { attemptFields, causeOf, type Log, logToStandardError } from '../../service/log.ts';
import { ENGINE_FAILURES, EngineFailure } from '../../service/translation-engine.ts';
import type { Storage, Write } from '../../storage/port.ts';
import { type Backoff, jobKey, leaseWrite, NO_BACKOFF, pauseAfter, putJob, readJob, readLease } from './jobs.ts';
import { type JobEnd, runJob } from './run-job.ts';
import type { TranslationDeps } from './translate-language.ts';

/** The dependencies of the worker. */
export interface JobWorkerDeps extends TranslationDeps, Pick<DueWorkerOptions<JobRef>, 'pause'> {
  /** Called for each run that ended its job or failed. */
  readonly onAttempt: (job: JobRef, attempted: Attempted) => void;
  /** Ends the calls of the engine, when the process stops. */
  readonly stop?: AbortSignal | undefined;
  /** The pause before the next look at a project that another worker has, in milliseconds. Default: a second. */
  readonly lookAgainMs?: number | undefined;
}

/** Returns a function that logs a run. The line has ids and codes, and no content of the project. */
export function logJob(log: Log = logToStandardError): JobWorkerDeps['onAttempt'] {
  return ({ companyId }, { traceId, durationMs, error }) => {
    // The failure of an engine is no fault of Segue, which would end a rollout.
    const fields = error instanceof EngineFailure ? { cause: causeOf(error) } : attemptFields(error);
    log({ operation: 'jobs', requestId: 'none', traceId, companyId, durationMs, ...fields });
  };
}

/**
 * Returns a function that logs a translation that has failed for good. The line is an alert if an operator can mend the
 * cause.
 */
export function logFailedTranslation(log: Log = logToStandardError): NonNullable<JobWorkerDeps['onFailed']> {
  return ({ failure, ...origin }) => {
    const alert = ENGINE_FAILURES[failure.code].needsOperator ? 'translations-failing' : undefined;
    log({
      operation: 'translationFailed',
      requestId: 'none',
      ...origin,
      alert,
      durationMs: 0,
      cause: causeOf(failure),
    });
  };
}

/** Returns a function that logs what an engine translated for a company: counts, and no content. */
export function logTranslated(log: Log = logToStandardError): NonNullable<JobWorkerDeps['onTranslated']> {
  return (translated) => log({ operation: 'translated', requestId: 'none', durationMs: 0, ...translated });
}

/** How many jobs may run at once. */
const MAX_RUNNING = 8;
/** How many jobs of one company may run at once, so that a large project does not delay other companies. */
const MAX_RUNNING_OF_COMPANY = 2;
/** Longer than any lease, in milliseconds. */
const LONGEST_LEASE_MS = 3_600_000;
/** The time that the last step of a run may need, in milliseconds. */
const STEP_MS = 10_000;

/** Creates the worker of the hosted service, which does what projects need after a request was answered. */
export function jobWorker(deps: JobWorkerDeps): DueWorker<JobRef> {
  const { storage: store, now, onAttempt } = deps;
  return dueWorker<JobRef>({
    store,
    now,
    list: JOBS,
    letters: 'jobs/letters',
    maxRunning: MAX_RUNNING,
    maxRunningOfGroup: MAX_RUNNING_OF_COMPANY,
    attemptMs: STEP_MS,
    pause: deps.pause,
    onAttempt,
    attempt: (job, deadline) => attemptJob(deps, job, deadline),
  });
}

/** Runs a job, if no other worker works on its project. */
async function attemptJob(deps: JobWorkerDeps, job: JobRef, deadline: Deadline): Promise<AttemptResult> {
  const { storage, now, stop = new AbortController().signal, lookAgainMs = 1_000 } = deps;
  const entry = await storage.read(jobKey(job));
  // A job that was postponed is reported when it is added, and is due later.
  if (!entry || !JOBS.isDue(job.atMs, now())) return { end: 'skipped' };
  const data = readJob(entry);
  const { traceId } = data;
  const remove: Write = { kind: 'remove', key: jobKey(job), version: entry.version };
  const lease = await readLease(storage, job);
  if (isHeld(lease.data.endsAtMs, now())) {
    await storage.commit({ writes: [remove, putJob({ ...job, atMs: now() + lookAgainMs }, data)] });
    return { end: 'postponed' };
  }
  let before: Backoff = lease.data;
  // The lease outlasts the run. Meanwhile another worker would pay the engine for the same texts. If the process dies, the
  // run has counted as failed, and the lease ends after the pause for those that failed before.
  const { failures, ...rest } = before;
  const endsAtMs = now() + deadline.remainingMs() + STEP_MS + pauseAfter(failures);
  const claim = leaseWrite(lease, endsAtMs, { ...rest, failures: failures + 1 });
  if (!(await storage.commit({ writes: [claim] })).ok) return { end: 'skipped' };
  let held = await readLease(storage, job);
  const onProgress = async () => {
    const { failures } = before;
    before = NO_BACKOFF;
    if (failures === 0) return;
    const counted = leaseWrite(held, endsAtMs, { ...NO_BACKOFF, failures: 1 });
    if ((await storage.commit({ writes: [counted] })).ok) held = await readLease(storage, job);
  };
  const run = runJob({ ...deps, traceId }, job, lease.data, { deadline, signal: stop, onProgress });
  const end = await run.catch((error: unknown) => afterError(error, before, now()));
  const { companyId } = job;
  if (end.kind === 'later') {
    const again = putJob({ ...job, atMs: Math.max(end.dueMs, now() + 1) }, data);
    await endRun(storage, leaseWrite(held, now(), end.backoff), [remove, again]);
    return { end: 'postponed', companyId, traceId, error: end.failure };
  }
  const release: Write =
    end.isGone && held.item
      ? { kind: 'remove', key: held.key, version: held.item.version }
      : leaseWrite(held, now(), { ...end.backoff, errors: undefined });
  await endRun(storage, release, [remove]);
  return { end: 'done', companyId, traceId, error: end.failure };
}

/** Whether another worker has a project. A lease that ends later than any was taken while the clock was wrong. */
function isHeld(endsAtMs: number, nowMs: number): boolean {
  return endsAtMs > nowMs && endsAtMs <= nowMs + LONGEST_LEASE_MS;
}

/** Returns the end of a run that threw an error. Its process lives, so it is no death. */
function afterError(error: unknown, { failures, errors = 0, retryAtMs = 0 }: Backoff, nowMs: number): JobEnd {
  // Another run would fail too.
  const isLost = error instanceof Problem && error.name === 'content-lost';
  if (isLost) return { kind: 'done', isGone: false, backoff: NO_BACKOFF, failure: error };
  const dueMs = Math.max(retryAtMs, nowMs + pauseAfter(errors + 1));
  return { kind: 'later', dueMs, backoff: { failures, errors: errors + 1, retryAtMs: dueMs }, failure: error };
}

/** Ends a run. If the job was added again meanwhile, it stays, and runs again. */
async function endRun(storage: Storage, release: Write, ends: readonly Write[]): Promise<void> {
  const { ok } = await storage.commit({ writes: [release, ...ends] });
  if (!ok) await storage.commit({ writes: [release] });
}
