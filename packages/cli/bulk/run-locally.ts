import { setTimeout } from 'node:timers/promises';
import { Problem } from '../../../lib/contract/problem.ts';
import { failureName } from '../../../lib/contract/problems.ts';
import type { RequireCompany } from '../../../lib/credentials/company-record.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { retry } from '../../../lib/service/retry.ts';
import type { Entry } from '../../../lib/workflow/bulk/manifest.ts';
import { bulkLineTask, type LineResult } from '../../../lib/workflow/bulk/run-line.ts';
import { entriesOf } from '../../../lib/workflow/bulk/scan-manifest.ts';
import { TaskFailure } from '../../../lib/workflow/task-handler.ts';
import type { BulkEnd, BulkRequest, BulkResult } from '../deployment.ts';
import { lambdaContext } from '../workflow/execute.ts';
import {
  asUsageError,
  companyRefusal,
  countEntries,
  RefusedLines,
  textOfFailed,
  withManifest,
} from './manifest-file.ts';
import { Report } from './report.ts';

const DEFAULT_CONCURRENCY = 8;
/** The time limit for one line, in milliseconds. After a kill, the line's lease ends one second after this limit. */
const TASK_MS = 15_000;

export interface LocalRunDeps {
  readonly service: ProjectService;
  readonly requireCompany: RequireCompany;
}

/**
 * Runs a manifest on this machine. Each line runs the same code as the Lambda function `bulkLine` of a stack.
 * @throws {CompanyError} if the company does not exist or is suspended, before the run or during it
 * @throws {CliError} if the manifest cannot be read, or is changed during the run
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
      const result = await task({ companyId, run, validateOnly, entry }, lambdaContext(TASK_MS));
      if (result.outcome === 'failed') {
        const refusal = companyRefusal(result.failure);
        if (refusal) throw refusal;
        // A change of the file may be the cause of the failure.
        await file.requireUnchanged();
        refused.add(result.failure, entry);
      }
      return result;
    };
    const report = new Report(request.report, { path: request.path, entries, validateOnly });
    try {
      const end = await runEntries(entriesOf(file), {
        runLine,
        onResult: async (result, entry) =>
          report.add(result, result.outcome === 'failed' ? await textOfFailed(file, entry) : undefined),
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

export interface RunOptions {
  /** Runs a line. @throws {TaskFailure} if the line may succeed later, or its outcome is unknown */
  readonly runLine: (entry: Entry) => Promise<LineResult>;
  /** Receives the result of each line. If the user stops the run, unfinished lines have no result. */
  readonly onResult: (result: LineResult, entry: Entry) => Promise<void>;
  /** How many lines run at once. */
  readonly concurrency: number;
  /** How many lines may fail. The run stops when one more has failed. */
  readonly maxFailed: number;
  /** Aborted when the user stops the run. No more lines are started then. */
  readonly stop: AbortSignal;
  /** Waits for a time in milliseconds, or until the signal aborts. */
  readonly sleep: (ms: number, stop: AbortSignal) => Promise<void>;
  /** Returns a random number from 0 up to 1, like `Math.random`. */
  readonly random: () => number;
}

/** The retries of one line: the number of attempts, and the pauses between them in milliseconds. */
const RETRY = { maxAttempts: 20, firstMs: 400, longestMs: 10_000 };

/** Runs the lines of a manifest, several at once. Retries the lines that may succeed later. */
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
      await onResult(result, next.value);
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

/** Runs a line until its result is known. @returns `undefined` if the run was stopped before */
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
      const { name, occurrence } = error.problem;
      // Nobody waits until the next day. Another run does only the lines that are left.
      if (name !== 'quota-exceeded' && (await pause(occurrence.retryAfterSeconds))) continue;
      return { entry: entry.entry, line: entry.line, outcome: 'failed', failure: error.name, cause: error.message };
    }
  }
}
