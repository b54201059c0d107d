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

/** The counts of one run over the due deliveries. */
export interface WorkSummary {
  /** How many deliveries succeeded. */
  readonly done: number;
  /** How many deliveries failed and get another attempt later. */
  readonly postponed: number;
  /** How many deliveries became dead letters. */
  readonly dead: number;
  /** How many due deliveries are left, because the time was over or the store failed. */
  readonly left: number;
  /** How long the oldest of the deliveries that are left has been due, in milliseconds; 0 if none is left. */
  readonly oldestMs: number;
  /** How many dead letters exist, up to 1,000. */
  readonly letters: number;
}

/** The dependencies of a delivery worker. */
export interface DeliveryWorkerDeps extends DeliveryDeps {
  readonly store: ListedStore;
  /** Called for each attempt that failed. */
  readonly onFailure?: (ref: DeliveryRef, result: AttemptResult) => void;
}

/** Makes attempts at deliveries, several at once. */
export interface DeliveryWorker {
  /**
   * Makes attempts at deliveries that were just received. If time is left for only some, `workOnDue` finds the others.
   * @returns the deliveries for which the store failed
   */
  workOn(refs: readonly DeliveryRef[], deadline: Deadline): Promise<readonly DeliveryRef[]>;
  /** Makes attempts at all due deliveries. @throws {Problem} if they cannot be listed */
  workOnDue(deadline: Deadline): Promise<WorkSummary>;
}

/** How many attempts may run at once. */
const MAX_RUNNING = 8;
/** How many attempts may run at once for one source. The limit keeps a slow mapping from delaying other sources. */
const MAX_RUNNING_OF_SOURCE = 2;
/** The time that one attempt may need, in milliseconds. If less time is left, no attempt starts. */
const ATTEMPT_START_MS = 12_000;
/** The most dead letters to count in a run. */
const MAX_COUNTED_LETTERS = 1_000;

/** The options of a run. */
interface RunOptions<T> {
  /** Lists the deliveries that have become due since the run started. */
  readonly refresh?: () => Promise<readonly T[]>;
  /** Called before each attempt. */
  readonly onStart?: (item: T) => void;
}

/** Creates a worker for deliveries. */
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
        // A store in this process answers at once. Without this pause, no other work of the process would run.
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

/** The limits of one listing of due deliveries, over all partitions. */
const LISTING = {
  /** The most deliveries to return. */
  max: 5_000,
  /** The most deliveries of one source to return. */
  maxOfSource: 1_000,
  /** The most deliveries to read: more than `max`, to find other sources behind one with many deliveries. */
  maxRead: 20_000,
} as const;

/** Lists the due deliveries that this run has not started, the longest due first. */
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

/** Returns the key of a due delivery. It includes the time, so a postponed delivery can start again in the same run. */
function sortKeyOf(due: DueDelivery): string {
  return dueKey(due, due.dueMs).sort;
}

/** Counts the dead letters, up to a limit. The list has the newest first, so it stops at the first expired one. */
async function countDeadLetters(store: ListedStore, nowMs: number): Promise<number> {
  let count = 0;
  for await (const { expiresAtMs = 0 } of eachItem(store, DEAD_LETTERS, '')) {
    if (expiresAtMs <= nowMs || ++count === MAX_COUNTED_LETTERS) break;
  }
  return count;
}

const OPERATION = 'deliveries';

/** Returns a function that logs a failed attempt. The line has ids and codes, and no content of the message. */
export function logFailedAttempt(log: Log = logToStandardError): (ref: DeliveryRef, result: AttemptResult) => void {
  return ({ source, id: requestId }, { companyId, error }) =>
    log({ operation: OPERATION, requestId, companyId, source, durationMs: 0, ...failureFields(error) });
}

/** How long before the function's time limit a run ends, in milliseconds, so that it can return its result. */
const MARGIN_MS = 2_000;

/**
 * Makes the Lambda handler. An event of the DynamoDB stream names deliveries that were just received. Any other event
 * comes from the schedule, and starts a run over all due deliveries.
 */
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
