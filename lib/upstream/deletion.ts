import { utc } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type Attempt, OutcomeLost, OutcomeOpen, type Plan } from '../idempotency/run-idempotent.ts';
import { deadlineAt } from '../service/deadline.ts';
import { failures } from '../service/failures.ts';
import type { Call, DeletionScope, ProjectRef } from '../service/port.ts';
import { countOf } from '../service/project-document.ts';
import type { Write } from '../storage/port.ts';
import { unknownOutcome, upstreamFailures } from './failures.ts';
import { type Foundation, settledAfter, withLastWord } from './foundation.ts';
import { type DeleteIntent, deletionIn, plannedDeletion } from './intent.ts';
import { findEntry } from './ledger.ts';
import { markOpen, type OpenOperation, unmark } from './open-operations.ts';
import { DELETE } from './operations.ts';
import { readEntered } from './owned.ts';
import { projectPath } from './paths.ts';
import { patience } from './patience.ts';
import { requireTask } from './reading.ts';
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
  const { guard, now } = foundation;
  const held = await guard.require(call);
  const earlier = deletionIn(before);
  // If this attempt is killed, the service may have accepted its deletion. It never shortens the time of an earlier one.
  const sentUntilMs = now() + call.deadline.remainingMs();
  const settledAfterMs = Math.max(earlier?.settledAfterMs ?? 0, sentUntilMs + ACCEPTED_MS);
  const intent = earlier ? { ...earlier, settledAfterMs } : { ...(await seen()), settledAfterMs };
  const marks = earlier ? [] : [markOpen(operation, now())];
  return { intent, writes: [...marks, ...(held ? [held] : [])], undo: [unmark(operation)], refused };

  async function seen(): Promise<Omit<DeleteIntent, 'settledAfterMs'>> {
    const entered = await findEntry(foundation, ref, call.companyId);
    const taskId = scope.kind === 'task' ? scope.taskId : undefined;
    const whole = await readEntered(foundation, entered, undefined, withLastWord(call));
    const found = taskId === undefined ? whole : requireTask(whole, taskId);
    const segments = countOf(found.segments);
    return {
      kind: 'delete',
      projectId: entered.entry.id,
      serviceId: found.id,
      customId: entered.entry.customId,
      name: entered.entry.name,
      enteredAtMs: entered.entry.enteredAtMs,
      taskId: taskId ?? null,
      hasOtherSegments: segments !== countOf(whole.segments),
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
/** How long a service may take for a deletion that it has only accepted, in milliseconds. A lost answer may have said so. */
const ACCEPTED_MS = 86_400_000;
/** How often a deletion is sent whose answers are lost. It is by the project's id, so once more takes nothing more. */
const MOST_SENT = 3;
/** How many readings in a row must show nothing of a young project, after the service said that it has deleted it. */
const ABSENCES = 3;

/** What the service answered to a deletion. */
type Answer = 'done' | 'accepted' | 'absent' | 'refused' | 'lost';

/** What a reading showed. */
interface Seen {
  readonly remains: Remains;
  /** When Segue asked, in milliseconds since 1970. */
  readonly askedAtMs: number;
}

/**
 * Deletes at the service, and tells the truth about what became of it.
 * @param pending told the receipt of what the service accepted and has not carried out yet
 * @param mayAsk whether the service may be asked to delete, or only what is left may be looked at
 * @throws {Problem} `upstream-refused` if the project stays after the settle time; what others did meanwhile:
 *   `project-not-found`, `task-not-found`
 * @throws {OutcomeOpen} where it cannot be told yet
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
    const seen = await look();
    if (isProof(seen)) return finish(seen.remains, earlier);
    await requireNotDeleted(seen);
    // Its id may be another project's by now, so it is not deleted unseen.
    const mayBeAnother = seen.remains.kind === 'another' || seen.remains.kind === 'silence';
    if (!mayAsk || mayBeAnother) throw leftOver(earlier, seen);
  }
  const { pause } = patience(sleep, asking.deadline);
  let isAmbiguous = earlier !== undefined;
  let settledAfterMs = earlier?.settledAfterMs ?? 0;
  for (let sent = 1; ; sent++) {
    const answer = await ask(earlier !== undefined || sent > 1);
    isAmbiguous ||= answer === 'lost';
    settledAfterMs = Math.max(settledAfterMs, endOf(answer));
    const seen = await lookUntilOver(answer);
    const { remains } = seen;
    const open = { ...intent, settledAfterMs, isDisallowed: answer === 'absent' && remains.kind === 'there' };
    if (seen.isOver) return finish(remains, open);
    switch (answer) {
      case 'done':
      case 'accepted':
        pending({ ...receiptOf(open, 'pending', null), operationId: operation.operationId });
        throw new OutcomeOpen(unknownOutcome(operation), open);
      case 'absent':
        if (isAmbiguous) break;
        if (remains.kind === 'no-project' && isOld(seen)) throw failures.projectNotFound();
        // A lagging replica may still show it, if a proxy sent the deletion twice. If the project is young, some part of
        // the service may not know it yet, so the deletion is sent again.
        if (remains.kind === 'there' && isOld(seen)) throw new OutcomeOpen(unknownOutcome(operation), open);
    }
    const mayAskAgain = sent < MOST_SENT && remains.kind !== 'another';
    if (!mayAskAgain || !(await pause())) throw new OutcomeOpen(unknownOutcome(operation), open);
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
      if (isAgain) return 'refused';
      throw error;
    }
  }

  /** From when on a request with this answer has no effect any more. A refused one has none, so it adds no time. */
  function endOf(answer: Answer): number {
    if (answer === 'refused') return 0;
    const isEnded = answer === 'done' || answer === 'absent';
    return settledAfter(call, intent.settledAfterMs, now() + (isEnded ? settleMs : ACCEPTED_MS));
  }

  async function look(): Promise<Seen> {
    const askedAtMs = now();
    return { remains: await remainsOf(client, intent, asking), askedAtMs };
  }

  /**
   * Looks again as long as a service that said yes may only be slow, or has not been heard. If the service said that it
   * has deleted a young project, several absences in a row are a proof too.
   */
  async function lookUntilOver(answer: Answer): Promise<Seen & { readonly isOver: boolean }> {
    const own = deadlineAt(now() + WAIT_MS, now);
    const wait = { remainingMs: () => Math.min(asking.deadline.remainingMs(), own.remainingMs()) };
    const again = patience(sleep, wait);
    for (let absences = 0; ; ) {
      const seen = await look();
      const { kind } = seen.remains;
      absences = kind === 'gone' ? absences + 1 : 0;
      const isOver = isProof(seen) || (answer === 'done' && absences === ABSENCES);
      if (isOver) return { ...seen, isOver };
      if (answer !== 'done' || kind !== 'gone') await requireNotDeleted(seen);
      const isAnswered = answer !== 'lost' && answer !== 'refused';
      const mayChange = kind === 'silence' || kind === 'hidden' || isAnswered;
      if (!mayChange || !(await again.pause())) return { ...seen, isOver };
    }
  }

  /** If the project is gone, another request may have deleted it: then the ledger does not have it any more. */
  async function requireNotDeleted({ remains: { kind } }: Seen): Promise<void> {
    if (kind !== 'gone' && kind !== 'no-project') return;
    try {
      await findEntry(foundation, { id: intent.projectId }, call.companyId);
    } catch (error) {
      // A ledger that cannot be read now tells nothing.
      if (!(error instanceof Problem) || error.name === 'project-not-found') throw error;
    }
  }

  /** Whether a reading shows that nothing more will happen. If a task's project is gone, the ledger has to explain it. */
  function isProof(seen: Seen): boolean {
    const { kind } = seen.remains;
    return kind === 'archived' || (kind === 'gone' && isOld(seen));
  }

  /** Whether a reading cannot be from before the project was made. Until then an absence is no proof. */
  function isOld({ askedAtMs }: Seen): boolean {
    return askedAtMs >= intent.enteredAtMs + settleMs;
  }

  function finish(remains: Remains, open: DeleteIntent): Promise<Receipt> {
    const outcome = remains.kind === 'archived' ? 'archived' : 'deleted';
    const endedAtMs = now();
    const receipt = receiptOf(open, outcome, outcome === 'deleted' ? utc(endedAtMs) : null);
    return settleDeletion(foundation, call, operation, { intent: open, attempt, remains, receipt, endedAtMs });
  }

  /** What it means, for whoever only finishes what others left, that it is not over. */
  function leftOver(open: DeleteIntent, seen: Seen): Error {
    const { kind } = seen.remains;
    // What is gone as a whole does not come back, whatever the service has still to do.
    if (kind === 'no-project' && isOld(seen)) return failures.projectNotFound();
    const isUntold = kind === 'silence' || kind === 'gone' || kind === 'no-project';
    if (isUntold || seen.askedAtMs < open.settledAfterMs) return new OutcomeOpen(unknownOutcome(operation), open);
    if (kind === 'hidden') return new OutcomeLost(upstreamFailures.tasksHidden());
    if (kind === 'another') return new OutcomeLost(unknownOutcome(operation));
    if (open.isDisallowed)
      return upstreamFailures.refused('The service has nothing to delete, and it can still be read.');
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
