import { projectKey } from '../records/keys.ts';
import { type EventDeps, outboxWrite } from '../records/outbox.ts';
import { deletionRevisionWrites, readRevision, rememberedUntil, revisionRef } from '../records/revision-record.ts';
import { tombstoneWrites } from '../records/tombstones.ts';
import type { CallContext } from '../service/port.ts';
import type { ItemStore, Write } from '../storage/port.ts';
import { type LedgerItem, readLedgerItem, removeEntry } from './ledger.ts';

/** The request that deleted a project. */
type Deleter = Pick<CallContext, 'companyId' | 'requestId' | 'requestedBy'>;

/** The end of a project. */
interface ProjectEnd {
  readonly deletedAtMs: number;
  /** The revision of the deletion; absent if it has none. */
  readonly revision?: number | undefined;
}

type ForgetDeps = EventDeps & { readonly storage: ItemStore };

/** Makes the writes that remove a deleted project from the ledger, with its tombstones, its revision and its event. */
export async function forgetWrites(
  deps: ForgetDeps,
  deleter: Deleter,
  ledgerItem: LedgerItem,
  { deletedAtMs, revision }: ProjectEnd,
): Promise<Write[]> {
  const { id, customId, sequence } = ledgerItem.entry;
  const last = await readRevision(deps, deleter.companyId, revisionRef({ id, customId }));
  const remembered = deletionRevisionWrites(last, revision, deletedAtMs);
  const untilMs = remembered.length > 0 ? rememberedUntil(deletedAtMs) : undefined;
  return [
    ...removeEntry(deleter.companyId, ledgerItem, untilMs),
    ...tombstoneWrites(deleter, { id, customId }, deletedAtMs),
    ...remembered,
    outboxWrite(deps, deleter, { type: 'project.deleted', sequence: sequence + 1, data: { projectId: id } }),
  ];
}

/**
 * Removes a project from the ledger, which the upstream service has deleted already. The service is not asked.
 * @returns whether the ledger had the project
 */
export async function forgetProject(deps: ForgetDeps, deleter: Deleter, projectId: number): Promise<boolean> {
  const { storage, now } = deps;
  for (;;) {
    const item = await storage.read(projectKey(deleter.companyId, projectId));
    if (!item) return false;
    const writes = await forgetWrites(deps, deleter, readLedgerItem(item), { deletedAtMs: now() });
    if ((await storage.commit({ writes })).ok) return true;
  }
}
