import { utc } from '../contract/date.ts';
import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type Attempt, OutcomeLost, OutcomeOpen, type Plan } from '../idempotency/run-idempotent.ts';
import { revisionRef } from '../records/revision-record.ts';
import { within } from '../service/deadline.ts';
import type { CallContext, DeletionScope, ProjectRef } from '../service/port.ts';
import { lengthOf } from '../service/project-document.ts';
import { requirePlanned } from '../service/removal-plan.ts';
import { pollBackoff, settledAfter, type UpstreamDeps, withTimeToRecord } from './deps.ts';
import { problemFrom, requireOk, unknownOutcome } from './failures.ts';
import { type ReadBack, readBack, verdictOf } from './find-deleted.ts';
import { checkRevision, rememberDeletion } from './late-deletion.ts';
import { findEntry, ifReadable } from './ledger.ts';
import {
  type DeleteIntent,
  deleteIntentIn,
  type OpenOperation,
  openMarkerWrite,
  undoWrites,
} from './open-operations.ts';
import { fetchSelected } from './read-projects.ts';
import { recordDeletion } from './record-result.ts';
import { DELETE, taskPath } from './requests.ts';
import { countTasks, findTask, TASKS_HIDDEN } from './tasks.ts';
import { deletionWrite } from './unfinished-operations.ts';
import { busy, refused } from './upstream-answer.ts';

/**
 * Reads the project, and counts what a deletion would remove.
 * @throws {Problem} `project-not-found`, `task-not-found`, `upstream-unavailable`, `upstream-invalid`
 */
export async function findRemoval(deps: UpstreamDeps, ref: ProjectRef, scope: DeletionScope, call: CallContext) {
  const { project, entry } = await fetchSelected(deps, ref, undefined, call);
  const taskId = scope.kind === 'task' ? scope.taskId : null;
  const target = taskId === null ? project : requireOk(findTask(project, taskId)).project;
  const segments = lengthOf(target.segments);
  const removes =
    taskId === null
      ? { targetLanguages: lengthOf(target.targetLanguages), segments, tasks: countTasks(target) }
      : { targetLanguages: 0, segments, tasks: 1 };
  const { id: projectId, customId } = entry;
  return { project, entry, removal: { projectId, customId, taskId, removes } };
}

/**
 * Prepares a deletion. It reads the project first, because the receipt reports only content that Segue has seen. The
 * commit that stores the plan checks that the caller's key and company are still active.
 * @param before the intent of an earlier attempt; `undefined` if there is none
 * @throws {Problem} `project-not-found`, `task-not-found`, `plan-outdated`, `upstream-unavailable`, `upstream-invalid`
 * @throws {Problem} those of `checkRevision`
 * @throws {Problem} `unauthenticated` or `company-suspended` if the caller's key or company is no longer active
 */
export async function planDelete(
  deps: UpstreamDeps,
  { ref, scope }: { readonly ref: ProjectRef; readonly scope: DeletionScope },
  call: CallContext,
  operation: OpenOperation,
  before: unknown,
): Promise<Plan> {
  const { guard, now } = deps;
  const guardCheck = await guard.require(call);
  const revision = scope.kind === 'project' ? scope.revision : undefined;
  const earlier = deleteIntentIn(before);
  // If this attempt is killed, the service may have accepted its DELETE. The time of an earlier attempt never shrinks.
  const sentUntilMs = now() + call.deadline.remainingMs();
  const settledAfterMs = Math.max(earlier?.settledAfterMs ?? 0, sentUntilMs + ACCEPTED_MS);
  const checked = earlier || revision === undefined ? undefined : await checkRevision(deps, ref, revision, call);
  const target = earlier ?? (await rememberingAbsence({ deps, call, named: checked?.named, revision }, readTarget));
  const intent = { ...target, settledAfterMs };
  const writes = [
    ...(earlier ? [] : [openMarkerWrite(operation, now())]),
    deletionWrite(operation, call, intent.projectId, now()),
    ...(checked ? [checked.held] : []),
    ...(guardCheck ? [guardCheck] : []),
  ];
  return { intent, writes, undo: undoWrites(operation, intent), refused };

  async function readTarget(): Promise<Omit<DeleteIntent, 'settledAfterMs'>> {
    const { project, entry, removal } = await findRemoval(deps, ref, scope, withTimeToRecord(call));
    const { id, customId, name, enteredAtMs } = entry;
    requirePlanned(call.planned, removal);
    return {
      kind: 'delete',
      projectId: id,
      serviceId: project.id,
      customId,
      name,
      enteredAtMs,
      taskId: removal.taskId,
      ...(revision !== undefined && { revision }),
      hasOtherSegments: removal.removes.segments !== lengthOf(project.segments),
      requestId: call.requestId,
      traceId: call.traceId,
      requestedBy: call.requestedBy,
      removed: removal.removes,
    };
  }

  /** Returns why the store refused the plan: the caller's key or company, or the revision, has just changed. */
  async function refused(): Promise<Problem> {
    await guard.require(call);
    const detail =
      'The API key, the company or the revision of the project changed during the request. Send the request again.';
    return new Problem('unavailable', { detail, retryAfterSeconds: 1 });
  }
}

/** The deletion of a project. */
interface Deletion {
  readonly deps: UpstreamDeps;
  readonly call: CallContext;
  /** What names the project in the records of revisions. */
  readonly named: ProjectRef | undefined;
  readonly revision: number | undefined;
}

/** Does work of a deletion. If the work finds no project, the revision of the deletion is remembered all the same. */
async function rememberingAbsence<T>({ deps, call, named, revision }: Deletion, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAbsent = error instanceof Problem && error.name === 'project-not-found';
    if (isAbsent && named && revision !== undefined) await rememberDeletion(deps, named, revision, call);
    throw error;
  }
}

/** How long a request waits for a deletion that the service has accepted, in milliseconds. */
const WAIT_MS = 5_000;
/**
 * How long the service may take to carry out an accepted deletion, in milliseconds. After a lost response, Segue
 * assumes that the service accepted the deletion.
 */
const ACCEPTED_MS = 86_400_000;
/**
 * How often a DELETE without a clear response is sent at most. It names the project by its id, so it cannot delete
 * anything else.
 */
const MAX_SENT = 3;
/** How many reads in a row must not find a new project, to prove a confirmed deletion. */
const ABSENCES = 3;

/** The kinds of response to a DELETE. */
type DeleteResponse = 'done' | 'accepted' | 'absent' | 'refused' | 'lost';

interface TimedReadBack {
  readonly shown: ReadBack;
  /** When the read began, in milliseconds since 1970. */
  readonly requestedAtMs: number;
  /** Whether the project was old enough to be visible everywhere when the read began. */
  readonly isOld: boolean;
}

/** The options of a deletion. */
interface DeleteOptions {
  /** Whether a DELETE may be sent. If not, only an earlier attempt is finished. */
  readonly maySend: boolean;
  /** Called with the receipt of a deletion that the service has accepted, but not carried out yet. */
  readonly onPending: (receipt: Receipt) => void;
}

/**
 * Deletes a project or task at the upstream service, and reads it back before it reports the result.
 * @throws {Problem} `upstream-refused` if the service refuses the deletion; `upstream-unavailable` if it did not carry
 *   out the deletion for another reason; `upstream-invalid` if it does not show whether the task exists;
 *   `project-not-found` if another request or client has deleted the project
 * @throws {OutcomeOpen} if the result is not certain yet
 */
export async function deleteAtUpstream(
  deps: UpstreamDeps,
  call: CallContext,
  operation: OpenOperation,
  attempt: Attempt,
  options: DeleteOptions,
): Promise<Receipt> {
  const planned = deleteIntentIn(attempt.intent);
  if (!planned) throw new TypeError('The attempt has no intent to delete a project');
  const { projectId: id, customId, revision } = planned;
  const deletion: Deletion = { deps, call, named: revisionRef({ id, customId }), revision };
  return rememberingAbsence(deletion, () =>
    sendDeletion(deps, call, operation, attempt, { ...options, intent: planned }),
  );
}

/** Sends the planned deletion, unless an earlier attempt has ended it, and reads it back. */
async function sendDeletion(
  deps: UpstreamDeps,
  call: CallContext,
  operation: OpenOperation,
  attempt: Attempt,
  { maySend, onPending, intent }: DeleteOptions & { readonly intent: DeleteIntent },
): Promise<Receipt> {
  const { client, now, propagationMs } = deps;
  const upstreamCall = withTimeToRecord(call);
  const earlier = deleteIntentIn(attempt.before);
  if (earlier) {
    const reading = await read();
    if (isOver(reading)) return record(reading.shown, earlier);
    await requireInLedger(reading);
    // The id may now belong to another project: do not delete a project that Segue has not seen.
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
    const path = taskPath({ id: intent.serviceId }, intent.taskId ?? undefined);
    const answer = await client({ operation: DELETE, path }, upstreamCall);
    switch (answer.kind) {
      case 'ok':
        return answer.status === 202 ? 'accepted' : 'done';
      // A 404 is no proof yet: another client was faster, or the account may not delete the project.
      case 'absent':
      case 'lost':
        return answer.kind;
      case 'refused':
      case 'busy':
      case 'unreadable':
        // This refusal says nothing about an earlier DELETE.
        if (isRepeated) return 'refused';
        throw problemFrom(answer);
    }
  }

  /**
   * Returns when a DELETE with this response can no longer take effect, in milliseconds since 1970; 0 if it was
   * refused.
   */
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

  /**
   * Reads the project back until the deletion is over, for at most `WAIT_MS`. Repeats a read only if the service
   * answered the DELETE, or if the read itself got no clear answer.
   */
  async function readUntilOver(response: DeleteResponse): Promise<TimedReadBack & { readonly isOver: boolean }> {
    const polling = pollBackoff(deps, within(WAIT_MS, upstreamCall.deadline, now));
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

  /**
   * Checks that the ledger still has a project that is gone at the service. If not, another request has deleted it.
   * @throws {Problem} `project-not-found`
   */
  async function requireInLedger({ shown: { kind } }: TimedReadBack): Promise<void> {
    if (kind !== 'gone' && kind !== 'no-project') return;
    // A ledger that cannot be read now proves nothing.
    const entered = await ifReadable(findEntry(deps, { id: intent.projectId }, call.companyId));
    if (entered?.kind === 'absent') throw problemFrom(entered);
  }

  function record(shown: ReadBack, open: DeleteIntent): Promise<Receipt> {
    const endedAtMs = now();
    const isArchived = shown.kind === 'archived';
    const receipt = receiptOf(open, isArchived ? 'archived' : 'deleted', isArchived ? null : utc(endedAtMs));
    return recordDeletion({ deps, call, operation, attempt }, { intent: open, shown, receipt, endedAtMs });
  }

  /** Returns the error for an earlier deletion that is not over, if no DELETE may be sent. */
  function unsentError(open: DeleteIntent, { shown, requestedAtMs, isOld }: TimedReadBack): Error {
    const verdict = verdictOf('unsent', shown.kind, isOld);
    // A missing project does not come back, even if the service still works on the DELETE.
    if (verdict === 'not-found') return failures.projectNotFound();
    if (verdict === 'open' || requestedAtMs < open.settledAfterMs)
      return new OutcomeOpen(unknownOutcome(operation), open);
    if (verdict === 'hidden') return new OutcomeLost(problemFrom(TASKS_HIDDEN));
    if (verdict === 'another') return new OutcomeLost(unknownOutcome(operation));
    return problemFrom(
      open.isDisallowed
        ? refused(
            'The upstream service answered 404 to the deletion, but still shows the project or task. It may not allow the deletion.',
          )
        : busy('The upstream service did not carry out the deletion. You can send it again.'),
    );
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
