import type { LineResult } from '../../lib/workflow/bulk/bulk-line.ts';
import type { Entry } from '../../lib/workflow/bulk/manifest.ts';
import { TaskFailure } from '../../lib/workflow/task-failure.ts';
import type { BulkEnd } from '../deployment.ts';

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

const MAX_ATTEMPTS = 20;
const BASE_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 10_000;

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
  for (let attempt = 1; ; attempt++) {
    try {
      return await runLine(entry);
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      if (stop.aborted) return undefined;
      if (attempt === MAX_ATTEMPTS) {
        return { entry: entry.entry, line: entry.line, outcome: 'failed', failure: error.name, cause: error.message };
      }
      const { retryAfterSeconds = 0 } = error.problem.occurrence;
      const backoffMs = random() * Math.min(BASE_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
      await sleep(retryAfterSeconds * 1_000 + backoffMs, stop);
    }
  }
}
