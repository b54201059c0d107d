import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { commitWithResult, RecordTaken } from '../idempotency/commit.ts';
import type { Created } from '../idempotency/requests/create-project.ts';
import type { DonePut } from '../idempotency/requests/put-project.ts';
import { type Attempt, OutcomeOpen } from '../idempotency/run-idempotent.ts';
import { projectKey } from '../records/keys.ts';
import { outboxWrite } from '../records/outbox.ts';
import { keptRevisionWrites, outdatedPut, putRevisionWrites, readRevision } from '../records/revision-record.ts';
import { deletionTime } from '../records/tombstones.ts';
import type { CallContext } from '../service/port.ts';
import { documentOf, type ProjectDocument } from '../service/project-document.ts';
import type { Write } from '../storage/port.ts';
import { pollBackoff, type UpstreamDeps } from './deps.ts';
import { unknownOutcome } from './failures.ts';
import type { ReadBack } from './find-deleted.ts';
import { forgetWrites } from './forget-project.ts';
import {
  addEntry,
  FIRST_EVENT,
  findEntry,
  type LedgerItem,
  readLedgerItem,
  toOwnedProject,
  updateEntry,
} from './ledger.ts';
import { type CreateIntent, type DeleteIntent, type OpenOperation, openMarkerRemoval } from './open-operations.ts';
import { createdPut } from './put-counts.ts';
import type { UpstreamProject } from './upstream-project.ts';

/** The input for recording the result of a request: the dependencies, the request, and the attempt that claimed it. */
export interface Recording {
  readonly deps: UpstreamDeps;
  readonly call: CallContext;
  readonly operation: OpenOperation;
  readonly attempt: Attempt;
}

/**
 * Commits a created project to the ledger together with the result of the request.
 * @returns `undefined` if the ledger has another project with this id
 * @throws {OutcomeOpen} if the store cannot commit in time
 */
export async function recordCreation(
  recording: Recording,
  created: UpstreamProject,
  intent: CreateIntent,
): Promise<ProjectDocument | undefined> {
  const { deps, call, operation, attempt } = recording;
  const { companyId } = call;
  const owned = toOwnedProject(created, { id: created.id, customId: intent.customId });
  const who = { companyId, requestId: intent.requestId, traceId: intent.traceId };
  const isOurs = await untilAnswered(recording, intent, async () => {
    const writes = [
      ...(await addEntry(companyId, owned, intent, deps.now())),
      ...(await revisionWrites(deps, companyId, intent)),
      openMarkerRemoval(operation),
      outboxWrite(deps, who, { type: 'project.created', sequence: FIRST_EVENT, data: { projectId: created.id } }),
    ];
    const result: Created | DonePut = createdPut(created.id, intent) ?? { projectId: created.id };
    const refused = await commitWithResult(deps.storage, { writes }, attempt.resultWrite, result);
    // The commit is also refused if an earlier commit succeeded and its answer was lost.
    if (refused === undefined) return true;
    const entered = await findEntry(deps, { id: created.id }, companyId);
    return entered.kind === 'ok' && entered.entry.name === intent.name;
  });
  return isOurs ? documentOf(owned) : undefined;
}

/** Makes the writes that remember the revision of a put that has created a project, or an earlier one of its custom id. */
async function revisionWrites(
  deps: UpstreamDeps,
  companyId: string,
  { customId, put, freed }: CreateIntent,
): Promise<Write[]> {
  if (customId === null || (put?.revision === undefined && !freed)) return [];
  const last = await readRevision(deps, companyId, { customId });
  const isKept = put?.revision === undefined || outdatedPut(last, put.revision);
  return isKept ? keptRevisionWrites(last, deps.now()) : putRevisionWrites(last, put.revision, deps.now());
}

/** A deletion that the upstream service has carried out. */
interface EndedDeletion {
  readonly intent: DeleteIntent;
  readonly shown: ReadBack;
  readonly receipt: Receipt;
  /** When Segue saw that the deletion was complete, in milliseconds since 1970. */
  readonly endedAtMs: number;
}

/**
 * Commits the receipt of a deletion together with the changes to the ledger.
 * @throws {Problem} `project-not-found` if another request has deleted the project
 * @throws {OutcomeOpen} if the store cannot commit in time
 */
export function recordDeletion(recording: Recording, ended: EndedDeletion): Promise<Receipt> {
  const { deps, call, operation, attempt } = recording;
  const { intent, receipt } = ended;
  const key = projectKey(call.companyId, intent.projectId);
  return untilAnswered(recording, intent, async () => {
    const item = await deps.storage.read(key);
    // Of several deletions of a project, only one removes it from the ledger.
    if (!item) throw await deletedBy(recording, intent);
    const writes = [...(await ledgerWrites(deps, call, ended, readLedgerItem(item))), openMarkerRemoval(operation)];
    const refused = await commitWithResult(deps.storage, { writes }, attempt.resultWrite, receipt);
    return refused === undefined ? receipt : undefined;
  });
}

/**
 * Repeats a commit until it returns a value. It pauses if the store fails, or if the commit returns `undefined`.
 * @throws {OutcomeOpen} if no time is left
 */
async function untilAnswered<T>(
  { deps, call, operation }: Recording,
  intent: CreateIntent | DeleteIntent,
  commit: () => Promise<T | undefined>,
): Promise<T> {
  const { pause } = pollBackoff(deps, call.deadline);
  do {
    try {
      const result = await commit();
      if (result !== undefined) return result;
    } catch (error) {
      const mayPass = error instanceof Problem && (error.name === 'unavailable' || error.name === 'outcome-unknown');
      if (!mayPass) throw error;
    }
  } while (await pause());
  throw new OutcomeOpen(unknownOutcome(operation), intent);
}

/**
 * Returns the error for a project that is no longer in the ledger: `project-not-found`, or `RecordTaken` if this request
 * deleted it. It may have done so in another attempt, or in a commit whose answer was lost.
 */
async function deletedBy({ deps, call, attempt }: Recording, { projectId }: DeleteIntent): Promise<Error> {
  const { key, version } = attempt.held;
  if ((await deps.storage.read(key))?.version !== version) return new RecordTaken();
  return failures.projectNotFound(await deletionTime(deps, call.companyId, { id: projectId }));
}

async function ledgerWrites(
  deps: UpstreamDeps,
  { companyId }: CallContext,
  { intent, shown, receipt, endedAtMs }: EndedDeletion,
  ledgerItem: LedgerItem,
): Promise<Write[]> {
  if (receipt.outcome !== 'deleted') return [];
  const { projectId, taskId, requestId, traceId, requestedBy } = intent;
  const who = { companyId, requestId, traceId, requestedBy };
  const sequence = ledgerItem.entry.sequence + 1;
  if (taskId !== null) {
    const rest = shown.kind === 'gone' ? shown.project : undefined;
    const project = rest && toOwnedProject(rest, ledgerItem.entry);
    return [
      await updateEntry(companyId, ledgerItem, { project, headAtMs: endedAtMs, sequence }),
      outboxWrite(deps, who, { type: 'task.deleted', sequence, data: { projectId, taskId } }),
    ];
  }
  return forgetWrites(deps, who, ledgerItem, { deletedAtMs: endedAtMs, revision: intent.revision });
}
