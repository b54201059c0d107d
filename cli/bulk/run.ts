import type { LineResult } from '../../lib/workflow/bulk/bulk-line.ts';
import type { Entry } from '../../lib/workflow/bulk/manifest.ts';
import { TaskFailure } from '../../lib/workflow/task-failure.ts';

/** How a run goes. */
export interface RunOptions {
  /** @throws {TaskFailure} where it may succeed later, or it cannot be told whether it was done */
  readonly carryOut: (entry: Entry) => Promise<LineResult>;
  /** Is given what became of every entry that was begun, but for those that a stop left open. */
  readonly done: (result: LineResult) => void;
  /** How many entries are worked on at once. */
  readonly concurrency: number;
  /** More failed entries than this end the run. */
  readonly mostFailed: number;
  /** Once it is aborted, no entry is begun. */
  readonly stop: AbortSignal;
  /** Waits for so many milliseconds, or until the signal. */
  readonly sleep: (ms: number, stop: AbortSignal) => Promise<void>;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
}

/** Why a run came to its end. */
export type RunEnd = 'all-done' | 'stopped' | 'too-many-failed';

const MOST_ATTEMPTS = 20;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Carries entries out, so many at once, and each again as long as that may help. All that was begun has ended with it. */
export async function runEntries(entries: AsyncIterable<Entry>, options: RunOptions): Promise<RunEnd> {
  const { done, concurrency, mostFailed } = options;
  const broken = new AbortController();
  const stop = AbortSignal.any([options.stop, broken.signal]);
  const iterator = entries[Symbol.asyncIterator]();
  let failed = 0;
  let isOver = false;
  let isLeft = false;

  async function work(): Promise<void> {
    while (!stop.aborted && failed <= mostFailed) {
      const next = await iterator.next();
      isOver ||= next.done === true;
      if (next.done) return;
      const result = await insist(next.value, { ...options, stop });
      isLeft ||= !result;
      if (!result) return;
      if (result.outcome === 'failed') failed++;
      done(result);
    }
  }

  const working = Array.from({ length: concurrency }, () =>
    work().catch((error: unknown) => {
      broken.abort();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(working);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (failed > mostFailed) return 'too-many-failed';
  return isOver && !isLeft ? 'all-done' : 'stopped';
}

/** What became of an entry; nothing where a stop came before that was known. */
async function insist(entry: Entry, { carryOut, stop, sleep, random }: RunOptions): Promise<LineResult | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await carryOut(entry);
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      if (stop.aborted) return undefined;
      if (attempt === MOST_ATTEMPTS) {
        return { entry: entry.entry, line: entry.line, outcome: 'failed', failure: error.name, cause: error.message };
      }
      const { retryAfterSeconds = 0 } = error.problem.occurrence;
      const backoffMs = random() * Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS);
      await sleep(retryAfterSeconds * 1_000 + backoffMs, stop);
    }
  }
}
