import { setImmediate } from 'node:timers/promises';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
} from '../background/background-function.ts';
import { insertedIn, isStreamEvent, type StreamResult, streamResult } from '../background/stream.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import { failureFields, type Log, logToStandardError } from '../service/log.ts';
import { eachItem, type ListedStore } from '../storage/port.ts';
import { type AttemptResult, attemptDelivery, type DeliveryDeps } from './attempt-delivery.ts';
import {
  DEAD_LETTERS,
  type DeliveryRef,
  type DueDelivery,
  deliveryAt,
  dueKey,
  openPartition,
  readDueKey,
  SHARDS,
} from './delivery-records.ts';
import { runFairly } from './fair-schedule.ts';

/** The results of a run, and the deliveries that are left. */
export interface WorkSummary {
  readonly done: number;
  readonly postponed: number;
  readonly dead: number;
  /** Due deliveries without an attempt: the time was over, or the store failed. */
  readonly left: number;
  /** For how long the oldest of them has been due, in milliseconds. */
  readonly oldestMs: number;
  /** The number of dead letters, up to a thousand. */
  readonly letters: number;
}

export interface DeliveryWorkerDeps extends DeliveryDeps {
  readonly store: ListedStore;
  /** Called for each attempt that failed. */
  readonly onFailure?: (ref: DeliveryRef, result: AttemptResult) => void;
}

/** Works on deliveries. */
export interface DeliveryWorker {
  /**
   * Works on deliveries that were just received. If there is no time for some, `workOnDue` finds them later.
   * @returns those for which the store failed
   */
  workOn(refs: readonly DeliveryRef[], deadline: Deadline): Promise<readonly DeliveryRef[]>;
  /** Works on all due deliveries. @throws {Problem} if they cannot be listed */
  workOnDue(deadline: Deadline): Promise<WorkSummary>;
}

/** How many attempts run at once, in all and for one source: a bad mapping holds up its own source only. */
const MAX_RUNNING = 8;
const MAX_RUNNING_OF_SOURCE = 2;
/** The time that a mapping and a service may take, in milliseconds. No attempt starts with less. */
const ATTEMPT_START_MS = 12_000;
const MAX_COUNTED_LETTERS = 1_000;

/** How a run finds deliveries that become due meanwhile. */
interface RunOptions<T> {
  readonly refresh?: () => Promise<readonly T[]>;
  readonly onStart?: (item: T) => void;
}

export function deliveryWorker({ onFailure = () => {}, ...deps }: DeliveryWorkerDeps): DeliveryWorker {
  const { store, now } = deps;

  async function run<T extends DeliveryRef>(
    refs: readonly T[],
    deadline: Deadline,
    { refresh, onStart = () => {} }: RunOptions<T> = {},
  ) {
    const counts = { done: 0, postponed: 0, dead: 0, skipped: 0 };
    const failed: T[] = [];
    const left = await runFairly(refs, {
      maxRunning: MAX_RUNNING,
      maxRunningOfGroup: MAX_RUNNING_OF_SOURCE,
      groupOf: ({ source }) => source,
      isTimeLeft: () => deadline.remainingMs() > ATTEMPT_START_MS,
      ...(refresh && { refresh }),
      async run(ref) {
        onStart(ref);
        try {
          const result = await attemptDelivery(deps, ref, deadline);
          counts[result.end]++;
          if (result.error !== undefined) onFailure(ref, result);
        } catch (error) {
          failed.push(ref);
          onFailure(ref, { end: 'skipped', error });
        }
        // A store in this process answers at once, which would starve everything else.
        await setImmediate();
      },
    });
    return { counts, failed, left };
  }

  return {
    workOn: async (refs, deadline) => (await run(refs, deadline)).failed,
    async workOnDue(deadline) {
      const started = new Set<string>();
      const refresh = () => listDue(store, now(), started);
      const onStart = (due: DueDelivery) => started.add(sortKeyOf(due));
      const { counts, failed, left } = await run(await refresh(), deadline, { refresh, onStart });
      const unfinished = [...failed, ...left];
      const oldest = Math.min(...unfinished.map(({ dueMs }) => dueMs));
      const { done, postponed, dead } = counts;
      return {
        done,
        postponed,
        dead,
        left: unfinished.length,
        oldestMs: unfinished.length === 0 ? 0 : now() - oldest,
        letters: await countDeadLetters(store, now()),
      };
    },
  };
}

/**
 * The most deliveries that one listing returns, in all and for one source, and the most that it reads. It reads more than it
 * returns, so that the deliveries of one source do not hide those of others.
 */
const LISTING = { max: 5_000, maxOfSource: 1_000, maxRead: 20_000 } as const;

/** Lists the due deliveries that have not started, the longest due first. */
async function listDue(store: ListedStore, nowMs: number, started: ReadonlySet<string>): Promise<DueDelivery[]> {
  const shards = await Promise.all(
    Array.from({ length: SHARDS }, async (_, shard) => {
      const listed: DueDelivery[] = [];
      const ofSources = new Map<string, number>();
      let read = 0;
      for await (const { sort } of eachItem(store, openPartition(shard), '')) {
        const due = readDueKey(sort);
        if (due.dueMs > nowMs || listed.length * SHARDS >= LISTING.max || read++ * SHARDS >= LISTING.maxRead) break;
        const ofSource = ofSources.get(due.source) ?? 0;
        if (ofSource * SHARDS >= LISTING.maxOfSource || started.has(sortKeyOf(due))) continue;
        ofSources.set(due.source, ofSource + 1);
        listed.push(due);
      }
      return listed;
    }),
  );
  return shards.flat().sort((one, other) => one.dueMs - other.dueMs);
}

/** Includes the time: a postponed delivery may start again in the same run. */
function sortKeyOf(due: DueDelivery): string {
  return dueKey(due, due.dueMs).sort;
}

/** Expired items may still be in the store, after all others. */
async function countDeadLetters(store: ListedStore, nowMs: number): Promise<number> {
  let count = 0;
  for await (const { expiresAtMs = 0 } of eachItem(store, DEAD_LETTERS, '')) {
    if (expiresAtMs <= nowMs || ++count === MAX_COUNTED_LETTERS) break;
  }
  return count;
}

const OPERATION = 'deliveries';

/** Logs each failed attempt, with ids and codes and nothing of the message. */
export function logFailedAttempt(log: Log = logToStandardError): (ref: DeliveryRef, result: AttemptResult) => void {
  return ({ source, id: requestId }, { companyId, error }) =>
    log({ operation: OPERATION, requestId, companyId, source, durationMs: 0, ...failureFields(error) });
}

/** Left for the answer, in milliseconds. */
const MARGIN_MS = 2_000;

/** Makes the Lambda handler. A stream's event names deliveries that were just received; any other event is a schedule's. */
export function deliveryHandler(
  { workOn, workOnDue }: DeliveryWorker,
  options: BackgroundOptions,
): BackgroundFunction<StreamResult | undefined> {
  return backgroundFunction(
    OPERATION,
    async (event, context) => {
      const { now } = options;
      const deadline = deadlineAt(now() + context.getRemainingTimeInMillis() - MARGIN_MS, now);
      if (!isStreamEvent(event)) return { result: undefined, counts: { ...(await workOnDue(deadline)) } };
      const records = insertedIn(event).map((record) => ({ ...record, ref: deliveryAt(record) }));
      const failed = await workOn(
        records.flatMap(({ ref }) => ref ?? []),
        deadline,
      );
      return { result: streamResult(records.filter(({ ref }) => failed.some((one) => one === ref))) };
    },
    options,
  );
}
