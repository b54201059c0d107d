import { setTimeout } from 'node:timers/promises';
import { sendAll } from '../lib/background/mail-handler.ts';
import { logEnded } from '../lib/background/reconciler.ts';
import type { DueWorker } from '../lib/deliveries/due-worker.ts';
import { BATCHES_IN_TURN, type MoveEvents } from '../lib/events/feed-positions.ts';
import type { SendDigests } from '../lib/hosted/people/mail-digests.ts';
import { type Deadline, deadlineAt } from '../lib/service/deadline.ts';
import { failureFields, type Log, type LogLine, logToStandardError } from '../lib/service/log.ts';
import { shareTurns } from '../lib/service/turn.ts';
import type { Reconcile } from '../lib/upstream/reconciler.ts';

export interface BackgroundOptions {
  readonly stop: AbortSignal;
  /** The pause between two runs, in milliseconds. */
  readonly pauseMs?: number;
  readonly log?: Log;
}

/** The time limit of one run over e-mails or events, and of one attempt at other work, in milliseconds. */
const RUN_MS = 50_000;

/**
 * Does the due work of a list until it is stopped, including work that a killed process left open: webhook deliveries,
 * or jobs of the hosted service. A run lasts as long as there is work: while a run that ends waits for its last
 * attempts, nothing else could start. Logs each run that ended something, or failed.
 */
export async function keepWorking(
  operation: string,
  work: Pick<DueWorker<never>, 'workOnDue'>,
  options: BackgroundOptions,
): Promise<void> {
  await keepRunning(operation, { pauseMs: 500, ...options }, async () => {
    const remainingMs = () => (options.stop.aborted ? 0 : RUN_MS);
    const { newestLetterMs: _, ...counts } = await work.workOnDue({ remainingMs });
    return counts.done + counts.postponed + counts.dead > 0 ? counts : undefined;
  });
}

/**
 * Moves the events of all companies from their outboxes to their feeds until it is stopped: in each round some events of
 * each company. A run lasts as long as there are events, but not longer than its time limit, so that the failure of one company
 * is logged however many events others have. Logs each run that failed.
 */
export async function keepMovingEvents(
  move: MoveEvents,
  companyIds: () => AsyncIterable<string>,
  options: BackgroundOptions,
): Promise<void> {
  await keepRunning('moveEvents', { pauseMs: 500, ...options }, async () => {
    let failure: unknown;
    const run = deadlineOf(options);
    for (let isDone = false; !isDone && run.remainingMs() > 0; ) {
      isDone = true;
      for await (const companyId of companyIds()) {
        try {
          const moved = await shareTurns(companyId, () => move(companyId, deadlineOf(options), BATCHES_IN_TURN));
          isDone &&= moved === 'all';
        } catch (error) {
          failure ??= error;
        }
      }
    }
    return failure === undefined ? undefined : failureFields(failure);
  });
}

/** Sends the e-mails that are due until it is stopped. Logs each run that sent something, or failed. */
export async function keepMailing(
  send: SendDigests,
  companyIds: () => AsyncIterable<string>,
  options: BackgroundOptions,
): Promise<void> {
  await keepRunning('sendMail', { pauseMs: 1_000, ...options }, async () => {
    const { failure, ...counts } = await sendAll(send, companyIds(), deadlineOf(options));
    if (failure !== undefined) return { ...counts, ...failureFields(failure) };
    return counts.done + counts.postponed + counts.dead > 0 ? counts : undefined;
  });
}

/** Returns the deadline of a run over e-mails or events. It ends when the program is stopped. */
function deadlineOf({ stop }: BackgroundOptions): Deadline {
  const deadline = deadlineAt(Date.now() + RUN_MS, Date.now);
  return { remainingMs: () => (stop.aborted ? 0 : deadline.remainingMs()) };
}

/**
 * Finishes open operations until it is stopped, including operations of a killed process. Logs each run that ended an
 * operation, or failed.
 */
export async function keepReconciling(reconcile: Reconcile, options: BackgroundOptions) {
  await keepRunning('reconciler', { pauseMs: 5_000, ...options }, async () => {
    const { failure, ...counts } = await reconcile(() => !options.stop.aborted, logEnded(options.log));
    if (failure !== undefined) return { ...counts, ...failureFields(failure) };
    return counts.settled + counts.givenUp > 0 ? counts : undefined;
  });
}

/** Repeats a run until it is stopped. @param run resolves with the fields to log, or with nothing to log */
async function keepRunning(
  operation: string,
  { stop, pauseMs, log = logToStandardError }: BackgroundOptions & { readonly pauseMs: number },
  run: () => Promise<Partial<LogLine> | undefined>,
): Promise<void> {
  while (!stop.aborted) {
    const began = Date.now();
    const fields = await run().catch(failureFields);
    if (fields) log({ operation, requestId: 'none', durationMs: Date.now() - began, ...fields });
    await setTimeout(pauseMs, undefined, { signal: stop }).catch(() => {});
  }
}
