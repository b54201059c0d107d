import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { commitWithResult, eventWrites } from '../idempotency/commit.ts';
import { projectKey } from '../idempotency/project-item.ts';
import { type Attempt, OutcomeOpen, Overtaken } from '../idempotency/run-idempotent.ts';
import { deletionTime, tombstoneWrites } from '../idempotency/tombstones.ts';
import { failures } from '../service/failures.ts';
import type { Call } from '../service/port.ts';
import type { Write } from '../storage/port.ts';
import { unknownOutcome } from './failures.ts';
import type { Foundation } from './foundation.ts';
import type { DeleteIntent } from './intent.ts';
import { asOwned, type Entered, readEntry, strikeOut, update } from './ledger.ts';
import { type OpenOperation, unmark } from './open-operations.ts';
import { patience } from './patience.ts';
import type { Remains } from './remains.ts';

/** What became of a deletion at the service. */
interface Ended {
  readonly intent: DeleteIntent;
  readonly attempt: Attempt;
  readonly remains: Remains;
  readonly receipt: Receipt;
  /** In milliseconds since 1970. */
  readonly endedAtMs: number;
}

/**
 * Writes down what became of a deletion: the receipt, and with it what the ledger says from then on.
 * @throws {Problem} `project-not-found` where the ledger has no such project any more: another request has deleted it
 * @throws {OutcomeOpen} where it cannot be written now
 */
export async function settleDeletion(
  foundation: Foundation,
  call: Call,
  operation: OpenOperation,
  ended: Ended,
): Promise<Receipt> {
  const { storage, sleep } = foundation;
  const { intent, attempt, receipt } = ended;
  const { companyId } = call;
  const { pause } = patience(sleep, call.deadline);
  do {
    try {
      const item = await storage.read(projectKey(companyId, intent.projectId));
      // Of several deletions of a project, whatever the service told each, one strikes it out.
      if (!item) throw await whoDeleted();
      const writes = [...(await changes(foundation, call, ended, readEntry(item))), unmark(operation)];
      const refused = await commitWithResult(storage, { writes }, attempt.settle, { kind: 'deleted', receipt });
      if (refused === undefined) return receipt;
    } catch (error) {
      const mayPass = error instanceof Problem && (error.name === 'unavailable' || error.name === 'outcome-unknown');
      if (error instanceof Overtaken || !mayPass) throw error;
    }
  } while (await pause());
  throw new OutcomeOpen(unknownOutcome(operation), intent);

  /** By itself, where only the answer to the commit was lost, or in another attempt; or another request did it. */
  async function whoDeleted(): Promise<Error> {
    const { key, version } = attempt.held;
    if ((await storage.read(key))?.version !== version) return new Overtaken();
    return failures.projectNotFound(await deletionTime(foundation, companyId, { id: intent.projectId }));
  }
}

async function changes(
  foundation: Foundation,
  call: Call,
  { intent, remains, receipt, endedAtMs }: Ended,
  entered: Entered,
): Promise<Write[]> {
  if (receipt.outcome !== 'deleted') return [];
  const { projectId, customId, taskId, requestId, requestedBy } = intent;
  const who = { companyId: call.companyId, requestId, requestedBy };
  if (taskId !== null) {
    const rest = remains.kind === 'gone' ? remains.project : undefined;
    const updated = rest ? [await update(call.companyId, entered, asOwned(rest, entered.entry))] : [];
    return [...updated, ...eventWrites(foundation, who, { type: 'task.deleted', projectId, taskId })];
  }
  const remembered = tombstoneWrites(who, { id: projectId, customId }, endedAtMs);
  return [
    ...strikeOut(call.companyId, entered),
    ...remembered,
    ...eventWrites(foundation, who, { type: 'project.deleted', projectId }),
  ];
}
