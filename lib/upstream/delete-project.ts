import { utc } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type Attempt, OutcomeLost, OutcomeOpen, type Plan } from '../idempotency/run-idempotent.ts';
import { deadlineAt } from '../service/deadline.ts';
import { type CallContext, type DeletionScope, failures, type ProjectRef } from '../service/port.ts';
import { countOf } from '../service/project-document.ts';
import { pollBackoff, settledAfter, type UpstreamDeps, withTimeToRecord } from './deps.ts';
import { unknownOutcome, upstreamFailures } from './failures.ts';
import { findEntry } from './ledger.ts';
import {
  type DeleteIntent,
  deleteIntentIn,
  type OpenOperation,
  openMarkerWrite,
  undoWrites,
} from './open-operations.ts';
import { type ReadBack, readBack, verdictOf } from './read-back.ts';
import { fetchOwned } from './read-projects.ts';
import { recordDeletion } from './record-result.ts';
import { DELETE, projectPath } from './requests.ts';
import { countTasks, requireTask } from './tasks.ts';

/**
 * Plans a deletion. It reads the project first, because the receipt reports only content that Segue has seen. The
 * commit that stores the plan checks that the caller's key and company are still active.
 * @param before the intent of an earlier attempt
 * @throws {Problem} `project-not-found`, `task-not-found`, `unauthenticated`
 */
export async function planDeletion(
  deps: UpstreamDeps,
  { ref, scope }: { readonly ref: ProjectRef; readonly scope: DeletionScope },
  call: CallContext,
  operation: OpenOperation,
  before: unknown,
): Promise<Plan> {
  const { guard, now } = deps;
  const guardCheck = await guard.require(call);
  const earlier = deleteIntentIn(before);
  // If this attempt is killed, the service may have accepted its deletion. An earlier attempt's time is never shortened.
  const sentUntilMs = now() + call.deadline.remainingMs();
  const settledAfterMs = Math.max(earlier?.settledAfterMs ?? 0, sentUntilMs + ACCEPTED_MS);
  const intent = earlier ? { ...earlier, settledAfterMs } : { ...(await readTarget()), settledAfterMs };
  const writes = [...(earlier ? [] : [openMarkerWrite(operation, now())]), ...(guardCheck ? [guardCheck] : [])];
  return { intent, writes, undo: undoWrites(operation, intent), refused };

  async function readTarget(): Promise<Omit<DeleteIntent, 'settledAfterMs'>> {
    const ledgerItem = await findEntry(deps, ref, call.companyId);
    const { id, customId, name, enteredAtMs } = ledgerItem.entry;
    const taskId = scope.kind === 'task' ? scope.taskId : undefined;
    const project = await fetchOwned(deps, ledgerItem, withTimeToRecord(call));
    const target = taskId === undefined ? project : requireTask(project, taskId);
    const segments = countOf(target.segments);
    return {
      kind: 'delete',
      projectId: id,
      serviceId: target.id,
      customId,
      name,
      enteredAtMs,
      taskId: taskId ?? null,
      hasOtherSegments: segments !== countOf(project.segments),
      requestId: call.requestId,
      requestedBy: call.requestedBy,
      removed:
        taskId === undefined
          ? { targetLanguages: countOf(target.targetLanguages), segments, tasks: countTasks(target) }
          : { targetLanguages: 0, segments, tasks: 1 },
    };
  }

  /** The key or the record of the company has just changed. */
  async function refused(): Promise<Problem> {
    await guard.require(call);
    const detail = 'The caller’s key or company has changed during the request.';
    return new Problem('unavailable', { detail, retryAfterSeconds: 1 });
  }
}

/** How long a caller waits for a deletion that the service accepted, in milliseconds. */
const WAIT_MS = 5_000;
/** How long a service may take for a deletion that it accepted, in milliseconds. A lost response may have accepted it. */
const ACCEPTED_MS = 86_400_000;
/** How often a DELETE without a clear response is sent. It names the project's id, so it deletes nothing else. */
const MAX_SENT = 3;
/** How many absences in a row prove the deletion of a young project, after the service answered that it deleted it. */
const ABSENCES = 3;

/** The service's response to a DELETE. */
type DeleteResponse = 'done' | 'accepted' | 'absent' | 'refused' | 'lost';

interface TimedReadBack {
  readonly shown: ReadBack;
  /** In milliseconds since 1970. */
  readonly requestedAtMs: number;
  /** Whether the read began when the project must have been visible everywhere. */
  readonly isOld: boolean;
}

/** How to carry a deletion out. */
interface DeleteOptions {
  /** Whether a DELETE may be sent; otherwise an earlier attempt is only finished. */
  readonly maySend: boolean;
  /** Receives the receipt of a deletion that the service accepted and has not carried out yet. */
  readonly onPending: (receipt: Receipt) => void;
}

/**
 * Deletes a project or task at the upstream service, and reads it back before it reports the result.
 * @throws {Problem} `upstream-refused` if the project stays; `project-not-found`, `task-not-found` if others deleted it
 * @throws {OutcomeOpen} if the result is not certain yet
 */
export async function deleteAtUpstream(
  deps: UpstreamDeps,
  call: CallContext,
  operation: OpenOperation,
  attempt: Attempt,
  { maySend, onPending }: DeleteOptions,
): Promise<Receipt> {
  const { client, now, propagationMs } = deps;
  const upstreamCall = withTimeToRecord(call);
  const earlier = deleteIntentIn(attempt.before);
  const planned = deleteIntentIn(attempt.intent);
  if (!planned) throw new TypeError('An attempt at a deletion has the intent of one');
  const intent: DeleteIntent = planned;
  if (earlier) {
    const reading = await read();
    if (isOver(reading)) return record(reading.shown, earlier);
    await requireInLedger(reading);
    // Its id may lead to another project now, so nothing is deleted unseen.
    const mayBeAnother = reading.shown.kind === 'another' || reading.shown.kind === 'no-answer';
    if (!maySend || mayBeAnother) throw unsentError(earlier, reading);
  }
  const { pause } = pollBackoff(deps, upstreamCall.deadline);
  let isUnclear = earlier !== undefined;
  let settledAfterMs = earlier?.settledAfterMs ?? 0;
  for (let sent = 1; ; sent++) {
    const response = await sendDelete(earlier !== undefined || sent > 1);
    isUnclear ||= response === 'lost';
    settledAfterMs = Math.max(settledAfterMs, settledAfterResponse(response));
    const reading = await readUntilOver(response);
    const { kind } = reading.shown;
    const open = { ...intent, settledAfterMs, isDisallowed: response === 'absent' && kind === 'there' };
    if (reading.isOver) return record(reading.shown, open);
    const isConfirmed = response === 'done' || response === 'accepted';
    const isAbsent = response === 'absent' && !isUnclear;
    const verdict = verdictOf(isConfirmed ? 'yes' : isAbsent ? 'absent' : 'unclear', kind, reading.isOld);
    if (verdict === 'not-found') throw failures.projectNotFound();
    if (verdict === 'pending') onPending({ ...receiptOf(open, 'pending', null), operationId: operation.operationId });
    if (verdict !== 'send-again' || sent === MAX_SENT || !(await pause()))
      throw new OutcomeOpen(unknownOutcome(operation), open);
  }

  async function sendDelete(isRepeated: boolean): Promise<DeleteResponse> {
    try {
      const path = projectPath({ id: intent.serviceId }, intent.taskId ?? undefined);
      const { status } = await client({ operation: DELETE, path }, upstreamCall);
      return status === 202 ? 'accepted' : 'done';
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.name === 'outcome-unknown') return 'lost';
      // Not believed yet: another client was faster, or the service does not let this account delete it.
      if (error.name === 'project-not-found' || error.name === 'task-not-found') return 'absent';
      // A refusal says nothing about the DELETE that was sent before.
      if (isRepeated) return 'refused';
      throw error;
    }
  }

  /** When a request with this response has no effect any more. A refused one has none. */
  function settledAfterResponse(response: DeleteResponse): number {
    if (response === 'refused') return 0;
    const isEnded = response === 'done' || response === 'absent';
    return settledAfter(call, intent.settledAfterMs, now() + (isEnded ? propagationMs : ACCEPTED_MS));
  }

  async function read(): Promise<TimedReadBack> {
    const requestedAtMs = now();
    const isOld = requestedAtMs >= intent.enteredAtMs + propagationMs;
    return { shown: await readBack(client, intent, upstreamCall), requestedAtMs, isOld };
  }

  /** Reads again while a service that confirmed the deletion may only be slow, or did not answer. */
  async function readUntilOver(response: DeleteResponse): Promise<TimedReadBack & { readonly isOver: boolean }> {
    const wait = deadlineAt(now() + WAIT_MS, now);
    const remainingMs = () => Math.min(upstreamCall.deadline.remainingMs(), wait.remainingMs());
    const polling = pollBackoff(deps, { remainingMs });
    for (let absences = 0; ; ) {
      const reading = await read();
      const { kind } = reading.shown;
      absences = kind === 'gone' ? absences + 1 : 0;
      if (isOver(reading) || (response === 'done' && absences === ABSENCES)) return { ...reading, isOver: true };
      if (response !== 'done' || kind !== 'gone') await requireInLedger(reading);
      const isAnswered = response !== 'lost' && response !== 'refused';
      const mayChange = kind === 'no-answer' || kind === 'hidden' || isAnswered;
      if (!mayChange || !(await polling.pause())) return { ...reading, isOver: false };
    }
  }

  function isOver({ shown, isOld }: TimedReadBack): boolean {
    return verdictOf('unsent', shown.kind, isOld) === 'over';
  }

  /** If the project is gone, another request may have deleted it: then the ledger does not have it any more. */
  async function requireInLedger({ shown: { kind } }: TimedReadBack): Promise<void> {
    if (kind !== 'gone' && kind !== 'no-project') return;
    try {
      await findEntry(deps, { id: intent.projectId }, call.companyId);
    } catch (error) {
      // If the ledger cannot be read now, nothing is known.
      if (!(error instanceof Problem) || error.name === 'project-not-found') throw error;
    }
  }

  function record(shown: ReadBack, open: DeleteIntent): Promise<Receipt> {
    const endedAtMs = now();
    const isArchived = shown.kind === 'archived';
    const receipt = receiptOf(open, isArchived ? 'archived' : 'deleted', isArchived ? null : utc(endedAtMs));
    return recordDeletion({ deps, call, operation, attempt }, { intent: open, shown, receipt, endedAtMs });
  }

  /** The error of an earlier attempt that is not over, if nothing may be sent. */
  function unsentError(open: DeleteIntent, { shown, requestedAtMs, isOld }: TimedReadBack): Error {
    const verdict = verdictOf('unsent', shown.kind, isOld);
    // A project that is gone does not come back, whatever the service has still to do.
    if (verdict === 'not-found') return failures.projectNotFound();
    if (verdict === 'open' || requestedAtMs < open.settledAfterMs)
      return new OutcomeOpen(unknownOutcome(operation), open);
    if (verdict === 'hidden') return new OutcomeLost(upstreamFailures.tasksHidden());
    if (verdict === 'another') return new OutcomeLost(unknownOutcome(operation));
    return open.isDisallowed
      ? upstreamFailures.refused(
          'The upstream service answered 404 to the deletion, but still shows the project or task.',
        )
      : upstreamFailures.unavailable('The upstream service did not carry out the deletion. You can send it again.');
  }
}

function receiptOf(
  { projectId, customId, taskId, removed, requestedBy }: DeleteIntent,
  outcome: Receipt['outcome'],
  deletedAtUtc: string | null,
): Receipt {
  const scope = taskId === null ? 'project' : 'task';
  return { scope, projectId, customId, taskId, outcome, deletedAtUtc, removed, requestedBy };
}
