import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '../../lib/contract/problem.ts';
import { failureName } from '../../lib/contract/problems.ts';
import type { RequireCompany } from '../../lib/credentials/company-record.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { retry } from '../../lib/service/retry.ts';
import type { Entry } from '../../lib/workflow/bulk/manifest.ts';
import { bulkLineTask, type LineResult } from '../../lib/workflow/bulk/run-line.ts';
import { entriesOf } from '../../lib/workflow/bulk/scan-manifest.ts';
import { TaskFailure } from '../../lib/workflow/task.ts';
import type { BulkEnd, BulkRequest, BulkResult } from '../deployment.ts';
import { asUsageError, companyRefusal, countEntries, RefusedLines, withManifest } from './manifest-file.ts';
import { Report } from './report.ts';

const DEFAULT_CONCURRENCY = 8;
/** The time for one line. After a kill, its lease lasts as long, and a second more. */
const TASK_MS = 15_000;

export interface LocalRunDeps {
  readonly service: ProjectService;
  readonly requireCompany: RequireCompany;
}

/**
 * Runs a manifest on this machine, with the same task that is deployed.
 * @throws {CompanyError} if the company does not exist or is suspended, before the run or during it
 * @throws {CliError} if the manifest cannot be read, or changes
 */
export async function runLocally(
  { service, requireCompany }: LocalRunDeps,
  {
    companyId,
    concurrency = DEFAULT_CONCURRENCY,
    toleratedPercent = 100,
    run,
    validateOnly,
    ...request
  }: BulkRequest & { readonly companyId: string },
): Promise<BulkResult> {
  await requireCompany(companyId).catch((error: unknown) => {
    throw (error instanceof Problem && companyRefusal(failureName(error.name))) || error;
  });
  return withManifest(request.path, async (file) => {
    const { entries } = await countEntries(file);
    const refused = new RefusedLines();
    const task = bulkLineTask(service, () => file, { now: Date.now, log: () => {}, requireCompany });
    const runLine = async (entry: Entry) => {
      const result = await task({ companyId, run, validateOnly, entry }, newContext());
      if (result.outcome === 'failed') {
        const refusal = companyRefusal(result.failure);
        if (refusal) throw refusal;
        // The line may have failed because the file changed.
        await file.requireUnchanged();
        refused.add(result.failure, entry);
      }
      return result;
    };
    const report = new Report(request.report, { entries, validateOnly });
    try {
      const end = await runEntries(entriesOf(file), {
        runLine,
        onResult: (result) => report.add(result),
        concurrency,
        maxFailed: Math.floor((entries * toleratedPercent) / 100),
        stop: request.stop,
        sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
        random: Math.random,
      });
      if (request.writeRefused) await refused.write(file, request.writeRefused);
      return { end, failed: report.failed, refused: refused.count };
    } catch (error) {
      throw asUsageError(error);
    } finally {
      report.end();
    }
  });
}

/** The context that Lambda would give to the task. */
function newContext() {
  const endsAtMs = performance.now() + TASK_MS;
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => endsAtMs - performance.now() };
}

export interface RunOptions {
  /** Runs a line. @throws {TaskFailure} if it may succeed later, or its outcome is unknown */
  readonly runLine: (entry: Entry) => Promise<LineResult>;
  /** Is called with each result. A line that a stop left open has none. */
  readonly onResult: (result: LineResult) => void;
  /** How many lines run at once. */
  readonly concurrency: number;
  /** The run ends once more lines than this have failed. */
  readonly maxFailed: number;
  /** Starts no more lines once it is aborted. */
  readonly stop: AbortSignal;
  /** Waits for a time in milliseconds, or until the signal. */
  readonly sleep: (ms: number, stop: AbortSignal) => Promise<void>;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
}

/** The attempts at one line. Pauses are in milliseconds. */
const RETRY = { maxAttempts: 20, firstMs: 400, longestMs: 10_000 };

/** Runs the lines of a manifest, several at once, and retries those that may succeed later. */
export async function runEntries(entries: AsyncIterable<Entry>, options: RunOptions): Promise<BulkEnd> {
  const { onResult, concurrency, maxFailed } = options;
  const broken = new AbortController();
  const stop = AbortSignal.any([options.stop, broken.signal]);
  const iterator = entries[Symbol.asyncIterator]();
  let failed = 0;
  let isAtEnd = false;
  let isLeftOpen = false;

  async function work(): Promise<void> {
    while (!stop.aborted && failed <= maxFailed) {
      const next = await iterator.next();
      isAtEnd ||= next.done === true;
      if (next.done) return;
      const result = await runWithRetries(next.value, { ...options, stop });
      isLeftOpen ||= !result;
      if (!result) return;
      if (result.outcome === 'failed') failed++;
      onResult(result);
    }
  }

  const workers = Array.from({ length: concurrency }, () =>
    work().catch((error: unknown) => {
      broken.abort();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (failed > maxFailed) return 'too-many-failed';
  return isAtEnd && !isLeftOpen ? 'all-done' : 'stopped';
}

/** @returns `undefined` if the run was stopped before the result was known */
async function runWithRetries(
  entry: Entry,
  { runLine, stop, sleep, random }: RunOptions,
): Promise<LineResult | undefined> {
  const { pause } = retry({ ...RETRY, sleep: (ms) => sleep(ms, stop), random });
  for (;;) {
    try {
      return await runLine(entry);
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      if (stop.aborted) return undefined;
      if (await pause(error.problem.occurrence.retryAfterSeconds)) continue;
      return { entry: entry.entry, line: entry.line, outcome: 'failed', failure: error.name, cause: error.message };
    }
  }
}
