import { type Deadline, within } from '../service/deadline.ts';
import { remember } from '../service/recent.ts';
import { nextTurn } from '../service/turn.ts';
import { eachItem, type ListedStore } from '../storage/port.ts';
import type { Due, DueList, OfCompany } from './due-list.ts';
import { dueScan } from './due-scan.ts';
import { LastStarts } from './fair-queue.ts';
import { runFairly } from './fair-schedule.ts';

/** The result of an attempt at one entry of a list of open work. */
export interface AttemptResult {
  /** `skipped`: the entry is unknown, is not due, has ended, or another worker has it. */
  readonly end: 'done' | 'postponed' | 'dead' | 'skipped';
  readonly companyId?: string;
  /** The trace of the request that made the entry. */
  readonly traceId?: string | undefined;
  /** The error that made the attempt fail; absent if the attempt succeeded. */
  readonly error?: unknown;
}

/** The result of an attempt, and how long it took. */
export interface Attempted extends AttemptResult {
  readonly durationMs: number;
}

/** The counts of one run over the due entries. */
export interface WorkSummary {
  /** How many entries succeeded. */
  readonly done: number;
  /** How many entries failed and get another attempt later. */
  readonly postponed: number;
  /** How many entries became dead letters. */
  readonly dead: number;
  /** How many of the listed entries are left, up to 10,000, because the time was over or the store failed. */
  readonly left: number;
  /** How long the oldest of the entries that are left has been due, in milliseconds; 0 if none is left. */
  readonly oldestMs: number;
  /** How many dead letters exist, up to 1,000. */
  readonly letters: number;
  /** How long ago the newest dead letter was made, in milliseconds; absent if there is none. */
  readonly newestLetterMs?: number;
}

/** Makes attempts at open work, several at once. */
export interface DueWorker<Ref> {
  /**
   * Makes attempts at entries that were just added. If time is left for only some, `workOnDue` finds the others.
   * @returns the entries for which the store failed
   */
  workOn(refs: readonly Ref[], deadline: Deadline): Promise<readonly Ref[]>;
  /**
   * Makes attempts at all due entries, until none is left or the time is over.
   * @param deadline if it always has the same time left, each attempt gets that time
   * @throws {Problem} if they cannot be listed
   */
  workOnDue(deadline: Deadline): Promise<WorkSummary>;
}

/** The dependencies and limits of a worker. */
export interface DueWorkerOptions<Ref extends OfCompany> {
  readonly store: ListedStore;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly list: DueList<Ref>;
  /** The partition of the list of dead letters, the newest first. */
  readonly letters: string;
  /** How many attempts may run at once. */
  readonly maxRunning: number;
  /** How many attempts may run at once for one group of a company, so that a slow group does not delay the others. */
  readonly maxRunningOfGroup: number;
  /** The time that one attempt may need, in milliseconds. If less time is left, no attempt starts. */
  readonly attemptMs: number;
  /** Waits between two listings of the due entries, for a number of milliseconds. By default, by a timer. */
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
  /** Makes one attempt. @throws if the store fails */
  readonly attempt: (ref: Ref, deadline: Deadline) => Promise<AttemptResult>;
  /** Called for each attempt that ended its entry or failed. */
  readonly onAttempt: (ref: Ref, attempted: Attempted) => void;
}

/** The most dead letters to count in a run. */
const MAX_COUNTED_LETTERS = 1_000;

/** How long an entry rests whose attempt was skipped or for which the store failed, in milliseconds. */
const REST_MS = 10_000;

/** Whether an entry has left its place in the list, another worker has it, or the store failed. */
type AttemptEnd = 'moved' | 'skipped' | 'failed';

/** The options of a run. */
interface RunOptions<T> {
  /** Lists the entries that have become due since the run started. */
  readonly refresh?: () => Promise<readonly T[]>;
  /** Called before each attempt. */
  readonly onStart?: (item: T) => void;
  /** Called after each attempt. */
  readonly onEnd?: (item: T, end: AttemptEnd) => void;
}

/** An entry that does not start again for a while. */
interface Rest<Ref> {
  readonly untilMs: number;
  /** The entry, if the store failed in its last attempt. */
  readonly failed?: Due<Ref>;
}

/** Creates a worker for a list of open work. */
export function dueWorker<Ref extends OfCompany>(options: DueWorkerOptions<Ref>): DueWorker<Ref> {
  const { store, now, list, pause, attempt, onAttempt, maxRunning, maxRunningOfGroup, attemptMs } = options;
  const scan = dueScan(list, store);
  const lastStarts = new LastStarts(list);

  async function run<T extends Ref>(
    refs: readonly T[],
    deadline: Deadline,
    { refresh, onStart = () => {}, onEnd = () => {} }: RunOptions<T> = {},
  ) {
    const counts = { done: 0, postponed: 0, dead: 0, skipped: 0 };
    await runFairly(refs, {
      maxRunning,
      maxRunningOfGroup,
      pathOf: list.pathOf,
      isTimeLeft: () => deadline.remainingMs() > attemptMs,
      pause,
      ...(refresh && { refresh }),
      async run(ref) {
        onStart(ref);
        const startedAtMs = now();
        lastStarts.add(ref, startedAtMs);
        const own = within(deadline.remainingMs(), deadline, now);
        const report = (result: AttemptResult) => onAttempt(ref, { ...result, durationMs: now() - startedAtMs });
        try {
          const result = await attempt(ref, own);
          counts[result.end]++;
          if (result.error !== undefined || result.end === 'done' || result.end === 'dead') report(result);
          onEnd(ref, result.end === 'skipped' ? 'skipped' : 'moved');
        } catch (error) {
          report({ end: 'skipped', error });
          onEnd(ref, 'failed');
        }
        // A store in this process answers at once. Without this pause, no other work of the process would run.
        await nextTurn();
      },
    });
    return counts;
  }

  return {
    async workOn(refs, deadline) {
      const failed: Ref[] = [];
      await run(refs, deadline, { onEnd: (ref, end) => void (end === 'failed' && failed.push(ref)) });
      return failed;
    },
    async workOnDue(deadline) {
      // The sort keys of started entries, and until when they do not start again. A key includes the time, so an entry
      // that was postponed can start again at once when it is due.
      const resting = new Map<string, Rest<Ref>>();
      // The entries that were listed and have not started. The last listing may lack some, because a scan has only some
      // companies at a time.
      const waiting = new Map<string, Due<Ref>>();
      const sortOf = (due: Due<Ref>) => list.keyOf(due, due.dueMs).sort;
      async function refresh() {
        for (const [sort, { untilMs }] of resting) if (untilMs <= now()) resting.delete(sort);
        const due = await scan.next(now(), (sort) => resting.has(sort));
        // Nothing else is due, so other workers have done the rest.
        if (due.length === 0) waiting.clear();
        for (const each of due) remember(waiting, sortOf(each), each);
        return lastStarts.inOrder(due, now());
      }
      const counts = await run(await refresh(), deadline, {
        refresh,
        onStart(due) {
          waiting.delete(sortOf(due));
          resting.set(sortOf(due), { untilMs: Number.POSITIVE_INFINITY });
        },
        onEnd(due, end) {
          if (end === 'moved') resting.delete(sortOf(due));
          else resting.set(sortOf(due), { untilMs: now() + REST_MS, ...(end === 'failed' && { failed: due }) });
        },
      });
      const failed = Array.from(resting.values(), (rest) => rest.failed).filter((due) => due !== undefined);
      const unfinished = new Map([...failed, ...waiting.values()].map((due) => [sortOf(due), due]));
      const oldest = Math.min(...Array.from(unfinished.values(), ({ dueMs }) => dueMs));
      const { done, postponed, dead } = counts;
      return {
        done,
        postponed,
        dead,
        left: unfinished.size,
        oldestMs: unfinished.size === 0 ? 0 : Math.max(0, now() - oldest),
        ...(await countLetters(store, options.letters, now())),
      };
    },
  };
}

/**
 * Counts dead letters, up to a limit. The list has the newest first, so it stops at the first expired one. The sort key
 * of a dead letter begins with the time of its end.
 */
async function countLetters(
  store: ListedStore,
  partition: string,
  nowMs: number,
): Promise<Pick<WorkSummary, 'letters' | 'newestLetterMs'>> {
  let letters = 0;
  let newestLetterMs: number | undefined;
  for await (const { sort, expiresAtMs = 0 } of eachItem(store, partition, '')) {
    if (expiresAtMs <= nowMs) break;
    newestLetterMs ??= nowMs - Number(sort.slice(0, sort.indexOf('/')));
    if (++letters === MAX_COUNTED_LETTERS) break;
  }
  return { letters, ...(newestLetterMs !== undefined && { newestLetterMs }) };
}
