import { utc } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type Attempt, type Plan, Unsettled, Untold } from '../exactly-once/exactly-once.ts';
import { countOf } from '../service/document.ts';
import { failures } from '../service/failures.ts';
import type { Call, DeletionScope, ProjectRef } from '../service/port.ts';
import type { Write } from '../storage/port.ts';
import { unknownOutcome, upstreamFailures } from './failures.ts';
import { type Foundation, withLastWord } from './foundation.ts';
import { type DeleteIntent, deletionIn, plannedDeletion } from './intent.ts';
import { findEntry } from './ledger.ts';
import { markOpen, type OpenOperation, unmark } from './open-operations.ts';
import { DELETE } from './operations.ts';
import { readEntered } from './owned.ts';
import { projectPath } from './paths.ts';
import { patience } from './patience.ts';
import { type Remains, remainsOf } from './remains.ts';
import { settleDeletion } from './settling.ts';
import { countTasks } from './tasks.ts';

/**
 * Plans to delete what is there. Segue reads it first, because only a project that was seen can be reported as deleted.
 * The caller's key and company must be active in the commit that keeps the plan.
 * @param before what an earlier attempt meant to do
 * @throws {Problem} `project-not-found`, `task-not-found`, `unauthenticated`
 */
export async function planDeletion(
  foundation: Foundation,
  { ref, scope }: { readonly ref: ProjectRef; readonly scope: DeletionScope },
  call: Call,
  operation: OpenOperation,
  before: unknown,
): Promise<Plan> {
  const { guard, now, settleMs } = foundation;
  const held = await guard.require(call);
  const earlier = deletionIn(before);
  const settledAfterMs = now() + call.deadline.remainingMs() + settleMs;
  const intent = earlier ? { ...earlier, settledAfterMs } : { ...(await seen()), settledAfterMs };
  const marks = earlier ? [] : [markOpen(operation, now())];
  return { intent, writes: [...marks, ...(held ? [held] : [])], undo: [unmark(operation)], refused };

  async function seen(): Promise<Omit<DeleteIntent, 'settledAfterMs'>> {
    const entered = await findEntry(foundation, ref, call.companyId);
    const taskId = scope.kind === 'task' ? scope.taskId : undefined;
    const found = await readEntered(foundation, entered, taskId, withLastWord(call));
    const segments = countOf(found.segments);
    return {
      kind: 'delete',
      projectId: entered.entry.id,
      serviceId: found.id,
      customId: entered.entry.customId,
      name: entered.entry.name,
      enteredAtMs: entered.entry.enteredAtMs,
      taskId: taskId ?? null,
      requestId: call.requestId,
      requestedBy: call.requestedBy,
      removed:
        taskId === undefined
          ? { targetLanguages: countOf(found.targetLanguages), segments, tasks: countTasks(found) }
          : { targetLanguages: 0, segments, tasks: 1 },
    };
  }

  /** The key, or the record of the company, was changed just now. */
  async function refused(_: Write): Promise<Problem> {
    await guard.require(call);
    return new Problem('unavailable', {
      detail: 'The caller’s key or company was changed meanwhile.',
      retryAfterSeconds: 1,
    });
  }
}

/** How long a caller waits for a deletion that the service accepted and has not carried out, in milliseconds. */
const WAIT_MS = 5_000;
/** How long a service may take for a deletion that it has only accepted, in milliseconds. */
const ACCEPTED_MS = 86_400_000;
/** How often a deletion is sent whose answers are lost. It is by the project's id, so once more takes nothing more. */
const MOST_SENT = 3;
/** How often a project that is new is found absent before that is believed: a reading may be from before it was made. */
const ABSENCES = 3;

/** What the service answered to a deletion. */
type Answer = 'done' | 'accepted' | 'absent' | 'lost';

/**
 * Deletes at the service, and tells the truth about what became of it.
 * @param pending told the receipt of what the service accepted and has not carried out yet
 * @param mayAsk whether the service may be asked to delete, or only what is left may be looked at
 * @throws {Problem} `upstream-refused` where what was to be deleted stays; what others did meanwhile: `project-not-found`,
 *   `task-not-found`
 * @throws {Unsettled} where it cannot be told yet
 */
export async function deleteAtService(
  foundation: Foundation,
  call: Call,
  operation: OpenOperation,
  attempt: Attempt,
  { mayAsk, pending }: { readonly mayAsk: boolean; readonly pending: (receipt: Receipt) => void },
): Promise<Receipt> {
  const { client, now, sleep, settleMs } = foundation;
  const asking = withLastWord(call);
  const intent = plannedDeletion(attempt.intent);
  const earlier = deletionIn(attempt.before);
  if (earlier) {
    const remains = await remainsOf(client, earlier, asking);
    if (isOver(remains)) return finish(remains, earlier);
    if (remains.kind === 'no-project') await requireEntry(foundation, intent, call);
    if (!mayAsk || remains.kind === 'another') throw leftOver(earlier, remains);
  }
  const { pause } = patience(sleep, asking.deadline);
  let isAmbiguous = earlier !== undefined;
  for (let sent = 1; ; sent++) {
    const answer = await ask(earlier !== undefined || sent > 1);
    isAmbiguous ||= answer === 'lost';
    const open = { ...intent, settledAfterMs: now() + (answer === 'accepted' ? ACCEPTED_MS : settleMs) };
    const remains = await lookUntilOver(answer);
    if (isOver(remains, answer)) return finish(remains, open);
    if (remains.kind === 'no-project') await requireEntry(foundation, intent, call);
    switch (answer) {
      case 'done':
      case 'accepted':
        pending({ ...receiptOf(open, 'pending', null), operationId: operation.operationId });
        throw new Unsettled(unknownOutcome(operation), open);
      case 'absent':
        if (isAmbiguous) break;
        if (remains.kind === 'no-project') throw failures.projectNotFound();
        if (remains.kind === 'there')
          throw upstreamFailures.refused('The service has nothing to delete, and it can still be read.');
    }
    const mayAskAgain = sent < MOST_SENT && remains.kind !== 'another';
    if (!mayAskAgain || !(await pause())) throw new Unsettled(unknownOutcome(operation), open);
  }

  async function ask(isAgain: boolean): Promise<Answer> {
    try {
      const target = projectPath({ id: intent.serviceId }, intent.taskId ?? undefined);
      const { status } = await client({ operation: DELETE, path: target }, asking);
      return status === 202 ? 'accepted' : 'done';
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.name === 'outcome-unknown') return 'lost';
      // Not yet believed: somebody else was faster, or the service says so of what it does not let this account delete.
      if (error.name === 'project-not-found' || error.name === 'task-not-found') return 'absent';
      // That nothing was done now says nothing of what was sent before.
      if (isAgain) return 'lost';
      throw error;
    }
  }

  /** Looks again as long as a service that said yes may only be slow, or has not been heard. */
  async function lookUntilOver(answer: Answer): Promise<Remains> {
    const untilMs = now() + WAIT_MS;
    const wait = { remainingMs: () => Math.min(asking.deadline.remainingMs(), untilMs - now()) };
    const again = patience(sleep, wait);
    const leastAbsences = intent.taskId === null && !isOld() ? ABSENCES : 1;
    for (let absences = 0; ; ) {
      const remains = await remainsOf(client, intent, asking);
      if (remains.kind === 'gone' && ++absences < leastAbsences) continue;
      const mayChange = remains.kind === 'silence' || remains.kind === 'hidden' || answer !== 'lost';
      if (isOver(remains, answer) || !mayChange || !(await again.pause())) return remains;
    }
  }

  /** Whether nothing that is read can be from before the project was made. */
  function isOld(): boolean {
    return now() >= intent.enteredAtMs + settleMs;
  }

  /**
   * Whether nothing more will happen. A task whose project is gone as a whole is for the ledger to explain. A project
   * that is new may also be absent because what is read is from before it was made: then the service must have said so.
   */
  function isOver({ kind }: Remains, answer: Answer = 'lost'): boolean {
    const isBelieved = isOld() || intent.taskId !== null || answer === 'done' || answer === 'absent';
    return kind === 'archived' || (kind === 'gone' && isBelieved);
  }

  function finish(remains: Remains, open: DeleteIntent): Promise<Receipt> {
    const outcome = remains.kind === 'archived' ? 'archived' : 'deleted';
    const endedAtMs = now();
    const receipt = receiptOf(open, outcome, outcome === 'deleted' ? utc(endedAtMs) : null);
    return settleDeletion(foundation, call, operation, { intent: open, attempt, remains, receipt, endedAtMs });
  }

  /** What it means, for whoever only finishes what others left, that it is not over. */
  function leftOver(open: DeleteIntent, remains: Remains): Error {
    // What is gone as a whole does not come back, whatever the service has still to do.
    if (remains.kind === 'no-project' && now() >= open.enteredAtMs + settleMs) return failures.projectNotFound();
    if (remains.kind === 'silence' || now() < open.settledAfterMs)
      return new Unsettled(unknownOutcome(operation), open);
    if (remains.kind === 'hidden') return new Untold(upstreamFailures.tasksHidden());
    return upstreamFailures.unavailable('The service did not carry the deletion out. It may be sent again.');
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

/** A task's project that is gone as a whole was deleted by another request, or the ledger still has it. */
async function requireEntry(foundation: Foundation, { projectId }: DeleteIntent, { companyId }: Call): Promise<void> {
  await findEntry(foundation, { id: projectId }, companyId);
}
