import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { commitWithResult, eventWrites } from '../idempotency/commit.ts';
import { projectKey } from '../idempotency/project-item.ts';
import { type Attempt, OutcomeOpen, Overtaken } from '../idempotency/run-idempotent.ts';
import { deletionTime, tombstoneWrites } from '../idempotency/tombstones.ts';
import { failures } from '../service/failures.ts';
import type { Call } from '../service/port.ts';
import type { Write } from '../storage/port.ts';
import { pollBackoff, type UpstreamDeps } from './deps.ts';
import { unknownOutcome } from './failures.ts';
import { type LedgerItem, readLedgerItem, removeEntry, toOwnedProject, updateEntry } from './ledger.ts';
import { type DeleteIntent, type OpenOperation, removeOpenMarker } from './open-operations.ts';
import type { ReadBack } from './read-back.ts';

/** A deletion that is over at the upstream service. */
interface EndedDeletion {
  readonly intent: DeleteIntent;
  readonly attempt: Attempt;
  readonly shown: ReadBack;
  readonly receipt: Receipt;
  /** In milliseconds since 1970. */
  readonly endedAtMs: number;
}

/**
 * Commits the receipt of a deletion together with the changes to the ledger.
 * @throws {Problem} `project-not-found` if another request has deleted the project
 * @throws {OutcomeOpen} if the store cannot take it now
 */
export async function recordDeletion(
  deps: UpstreamDeps,
  call: Call,
  operation: OpenOperation,
  ended: EndedDeletion,
): Promise<Receipt> {
  const { storage } = deps;
  const { intent, attempt, receipt } = ended;
  const { companyId } = call;
  const { pause } = pollBackoff(deps, call.deadline);
  do {
    try {
      const item = await storage.read(projectKey(companyId, intent.projectId));
      // Of several deletions of a project, only one removes it from the ledger.
      if (!item) throw await whoDeleted();
      const writes = [...(await changes(deps, call, ended, readLedgerItem(item))), removeOpenMarker(operation)];
      const refused = await commitWithResult(storage, { writes }, attempt.settle, { kind: 'deleted', receipt });
      if (refused === undefined) return receipt;
    } catch (error) {
      const mayPass = error instanceof Problem && (error.name === 'unavailable' || error.name === 'outcome-unknown');
      if (error instanceof Overtaken || !mayPass) throw error;
    }
  } while (await pause());
  throw new OutcomeOpen(unknownOutcome(operation), intent);

  /** `Overtaken` if this request has deleted it, in a commit whose answer was lost or in another attempt. */
  async function whoDeleted(): Promise<Error> {
    const { key, version } = attempt.held;
    if ((await storage.read(key))?.version !== version) return new Overtaken();
    return failures.projectNotFound(await deletionTime(deps, companyId, { id: intent.projectId }));
  }
}

async function changes(
  deps: UpstreamDeps,
  call: Call,
  { intent, shown, receipt, endedAtMs }: EndedDeletion,
  ledgerItem: LedgerItem,
): Promise<Write[]> {
  if (receipt.outcome !== 'deleted') return [];
  const { companyId } = call;
  const { projectId, customId, taskId, requestId, requestedBy } = intent;
  const who = { companyId, requestId, requestedBy };
  if (taskId !== null) {
    const rest = shown.kind === 'gone' ? shown.project : undefined;
    const updated = rest ? [await updateEntry(companyId, ledgerItem, toOwnedProject(rest, ledgerItem.entry))] : [];
    return [...updated, ...eventWrites(deps, who, { type: 'task.deleted', projectId, taskId })];
  }
  return [
    ...removeEntry(companyId, ledgerItem),
    ...tombstoneWrites(who, { id: projectId, customId }, endedAtMs),
    ...eventWrites(deps, who, { type: 'project.deleted', projectId }),
  ];
}
