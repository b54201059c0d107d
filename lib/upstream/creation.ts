import { checkDates } from '../contract/check.ts';
import { inUtc } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import { commitWithResult, eventWrites } from '../idempotency/commit.ts';
import { companyPartition, customIdKey } from '../idempotency/project-item.ts';
import { recordKey } from '../idempotency/request-record.ts';
import { type Attempt, forgotten, OutcomeOpen, Overtaken, type Plan } from '../idempotency/run-idempotent.ts';
import { failures } from '../service/failures.ts';
import type { Call } from '../service/port.ts';
import { documentOf, type ProjectDocument } from '../service/project-document.ts';
import type { Write } from '../storage/port.ts';
import { readProject } from './answer.ts';
import { digestsOf } from './content-digests.ts';
import { unknownOutcome, upstreamFailures } from './failures.ts';
import { type Foundation, settledAfter, withLastWord } from './foundation.ts';
import { type CreateIntent, creationIn, plannedCreation } from './intent.ts';
import { asOwned, enter, giveBack, holderOf, isEntered, reserve } from './ledger.ts';
import { isOldAnswer, lookForMade } from './looking.ts';
import { nameAtService } from './names.ts';
import { markOpen, type OpenOperation, unmark } from './open-operations.ts';
import { CREATE } from './operations.ts';
import { PROJECTS_PATH } from './paths.ts';
import { patience } from './patience.ts';
import type { UpstreamProject } from './project.ts';
import { findProject } from './reading.ts';

/**
 * Plans to create a project: its custom id is kept for it, and the operation is marked as open, before anything is sent.
 * @param before what an earlier attempt meant to do
 * @throws {Problem} `invalid-project` where the start date is not now
 */
export async function planCreation(
  { now, settleMs, storage, mark, isOwnAccount, newId, startDateToleranceMs }: Foundation,
  project: CheckedProject,
  { companyId, requestId, requestedBy, deadline }: Call,
  operation: OpenOperation,
  before: unknown,
): Promise<Plan> {
  const { customId } = project;
  const earlier = creationIn(before);
  const settledAfterMs = Math.max(earlier?.settledAfterMs ?? 0, now() + deadline.remainingMs() + settleMs);
  if (earlier) {
    // A later request may have another start date.
    const { startDateUtc: _, ...intent } = earlier;
    return { intent: { ...intent, settledAfterMs }, writes: [], undo: undoing(earlier, operation), refused };
  }
  checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
  const named = { ...operation, isOwnAccount: await isOwnAccount(companyId), customId };
  const name = nameAtService(mark, named);
  const intent: CreateIntent = {
    kind: 'create',
    requestId,
    requestedBy,
    customId: customId ?? null,
    name,
    sinceMs: now(),
    settledAfterMs,
    ...(name === customId && { content: digestsOf(project, newId()) }),
  };
  const reserved = customId === undefined ? [] : [reserve(companyId, customId, operation.operationId)];
  return { intent, writes: [markOpen(operation, now()), ...reserved], undo: undoing(intent, operation), refused };

  async function refused({ key }: Write): Promise<Problem> {
    if (customId === undefined || key.sort !== customIdKey(companyId, customId).sort) return beingWorkedOn();
    const holder = await holderOf({ storage }, customId, companyId);
    if (holder && 'projectId' in holder) return failures.customIdInUse();
    const record = holder && recordKey(companyPartition(companyId), holder.operationId);
    // It was written together with what it keeps: where it has outlived its time nobody finishes the creation any more.
    if (record && !(await storage.read(record))) {
      await storage.commit({ writes: [forgotten(record, 'create', now()), giveBack(companyId, customId)] });
    }
    return beingWorkedOn();
  }
}

/** What is undone of a plan where nothing was created. */
export function undoing({ customId }: CreateIntent, operation: OpenOperation): Write[] {
  return [unmark(operation), ...(customId === null ? [] : [giveBack(operation.companyId, customId)])];
}

function beingWorkedOn(): Problem {
  return new Problem('request-in-progress', {
    detail: 'Another request that creates a project with this custom id is being worked on.',
    retryAfterSeconds: 1,
  });
}

/**
 * Creates a project at the service, exactly once. What an earlier attempt may have made is looked for first, and so is
 * what was sent and not answered; only what cannot have been made is sent again.
 * @param project `undefined` to finish what is left of an earlier attempt: then nothing is sent
 * @throws {Problem} `upstream-unavailable` where an earlier attempt turned out to have made nothing
 * @throws {OutcomeOpen} where it cannot be told yet whether a project was made
 */
export async function makeProject(
  foundation: Foundation,
  project: CheckedProject | undefined,
  call: Call,
  operation: OpenOperation,
  { intent: planned, settle, before }: Attempt,
): Promise<ProjectDocument> {
  const { client, now, settleMs, startDateToleranceMs } = foundation;
  const asking = withLastWord(call);
  const intent = plannedCreation(planned);
  const earlier = creationIn(before);
  if (earlier) {
    const lost = { told: unknownOutcome(operation), isTaken: false };
    const made = await lookForMade(foundation, earlier, asking, lost);
    if (made) return adopt(made, earlier);
  }
  if (!project) throw upstreamFailures.unavailable('The service did not carry the request out. It may be sent again.');
  if (!earlier) await requireFree(foundation, project, asking);
  for (let mayBeSent = earlier !== undefined; ; mayBeSent = true) {
    checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const sent = await send(project);
    if (!(sent instanceof Problem)) return adopt(sent, intent);
    const isTaken = sent.name === 'custom-id-in-use';
    // In an account of the company's own, the project may be another client's.
    const isFirst = isTaken && intent.content && !mayBeSent;
    const startDate = isFirst ? { startDateUtc: project.startDateUtc } : {};
    const settledAfterMs = settledAfter(call, intent.settledAfterMs, now() + settleMs);
    const open: CreateIntent = { ...intent, settledAfterMs, ...startDate };
    const made = await lookForMade(foundation, open, asking, { told: unknownOutcome(operation, sent), isTaken });
    if (made) return adopt(made, open);
    if (isTaken) throw sent;
  }

  /** @returns the project; or the problem, where there may be one all the same */
  async function send(asked: CheckedProject): Promise<UpstreamProject | Problem> {
    try {
      const dates = { startDateUtc: inUtc(asked.startDateUtc), endDateUtc: inUtc(asked.endDateUtc) };
      const request = { operation: CREATE, path: PROJECTS_PATH, sent: { ...asked, ...dates, customId: intent.name } };
      const made = readProject(await client(request, asking));
      // An answer to something else is none.
      const isOurs = made?.customId === intent.name && !(await isOldAnswer(foundation, intent, call, made));
      return isOurs ? made : upstreamFailures.outcomeUnknown('The answer cannot be read.');
    } catch (error) {
      if (error instanceof Problem && (error.name === 'outcome-unknown' || error.name === 'custom-id-in-use'))
        return error;
      throw error;
    }
  }

  /** Gives the project its owner. Until that is written the operation stays open, and whoever comes next does it. */
  async function adopt(made: UpstreamProject, open: CreateIntent): Promise<ProjectDocument> {
    const adopted = await enterMade(made, open);
    if (adopted) return adopted;
    // The ledger has another project under this id. A lookup may show the right one.
    const unknown = unknownOutcome(operation);
    const found = await lookForMade(foundation, open, asking, { told: unknown, isTaken: false });
    const second = found && found.id !== made.id ? await enterMade(found, open) : undefined;
    if (!second) throw new OutcomeOpen(unknown, open);
    return second;
  }

  /** @returns `undefined` if the ledger has another project under this id */
  async function enterMade(made: UpstreamProject, open: CreateIntent): Promise<ProjectDocument | undefined> {
    const { companyId } = call;
    const who = { companyId, requestId: open.requestId };
    const owned = asOwned(made, { id: made.id, customId: open.customId });
    const { pause } = patience(foundation.sleep, call.deadline);
    for (;;) {
      const writes = [
        ...(await enter(companyId, owned, open.name, now())),
        unmark(operation),
        ...eventWrites(foundation, who, { type: 'project.created', projectId: made.id }),
      ];
      try {
        const result = { kind: 'created', projectId: made.id } as const;
        const refused = await commitWithResult(foundation.storage, { writes }, settle, result);
        // Refused too where it was written the last time, and only the answer was lost.
        const isOurs = refused === undefined || (await isEntered(foundation, companyId, made.id, open.name));
        return isOurs ? await documentOf(owned) : undefined;
      } catch (error) {
        if (error instanceof Overtaken || !(error instanceof Problem)) throw error;
        if (!(await pause())) throw new OutcomeOpen(unknownOutcome(operation), open);
      }
    }
  }
}

/** In an account of one's own others may have made projects: no custom id of theirs is taken for a new one. */
export async function requireFree(foundation: Foundation, { customId }: CheckedProject, call: Call): Promise<void> {
  if (customId === undefined || !(await foundation.isOwnAccount(call.companyId))) return;
  if (await findProject(foundation.client, { customId }, call)) throw failures.customIdInUse();
}
