import type { AlertCode } from '../contract/alerts.ts';
import type { DueWorker, WorkSummary } from '../deliveries/due-worker.ts';
import { within } from '../service/deadline.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  hasRecords,
  type RunReport,
  runDeadline,
  type StreamResult,
} from './background-function.ts';

/** The alerts of a worker. */
export interface WorkAlerts {
  /** The alert for due work that has waited for 10 minutes. */
  readonly waiting: AlertCode;
  /** The alert for a new dead letter. */
  readonly letters?: AlertCode;
}

/** An entry that an event of a Lambda function names. */
interface NamedEntry<Ref> {
  /** The id by which the stream or the queue knows it. */
  readonly id: string;
  /** Absent if it is no entry of the worker's list. */
  readonly ref?: Ref | undefined;
}

/** The Lambda function of a worker. */
export interface DueFunction<Ref> {
  readonly operation: string;
  /** The alerts of a run over all due entries. */
  readonly alerts: WorkAlerts;
  /** Returns the entries that an event of a stream or a queue names. */
  readonly entriesIn: (event: unknown) => readonly NamedEntry<Ref>[];
  /** What the function does in the time before its limit. */
  readonly margin: 'report' | 'result';
  /** The time limits of a call with entries, and of a run over all due entries, in milliseconds. */
  readonly limitsMs: { readonly event?: number; readonly run?: number };
}

/** How long due work may wait, in milliseconds. */
const MAX_WAIT_MS = 600_000;
/**
 * How long a dead letter counts as new, in milliseconds. Several runs see it in this time, so a run that fails does not
 * hide it. An alert for as long as there are dead letters would hide those that follow.
 */
const NEW_MS = 600_000;

/**
 * Makes the Lambda handler of a worker. An event with records names entries that were just added; the stream or the queue
 * delivers those again for which the store failed. Any other event comes from the schedule, and starts a run over all due
 * entries.
 */
export function dueHandler<Ref>(
  { operation, alerts, entriesIn, margin, limitsMs }: DueFunction<Ref>,
  { workOn, workOnDue }: DueWorker<Ref>,
  options: BackgroundOptions,
): BackgroundFunction<StreamResult | undefined> {
  return backgroundFunction(
    operation,
    async (event, context) => {
      const limited = (ms = Number.POSITIVE_INFINITY) => within(ms, runDeadline(context, options, margin), options.now);
      if (!hasRecords(event)) {
        return { result: undefined, ...reportOf(await workOnDue(limited(limitsMs.run)), alerts) };
      }
      const named = entriesIn(event);
      const refs = named.flatMap(({ ref }) => ref ?? []);
      const failed = new Set<Ref | undefined>(await workOn(refs, limited(limitsMs.event)));
      const again = named.filter(({ ref }) => failed.has(ref));
      return { result: { batchItemFailures: again.map(({ id }) => ({ itemIdentifier: id })) } };
    },
    options,
  );
}

/** Returns the counts of a run over all due work for its log line, and its alerts. */
export function reportOf(
  { newestLetterMs, ...counts }: WorkSummary,
  { waiting, letters }: WorkAlerts,
): Pick<RunReport<unknown>, 'counts' | 'alerts'> {
  const isNew = newestLetterMs !== undefined && newestLetterMs < NEW_MS;
  const alerts = [...(counts.oldestMs >= MAX_WAIT_MS ? [waiting] : []), ...(letters && isNew ? [letters] : [])];
  return { counts, alerts };
}
