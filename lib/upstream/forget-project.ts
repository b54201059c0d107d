import { projectKey } from '../records/keys.ts';
import { type EventDeps, outboxWrite } from '../records/outbox.ts';
import { tombstoneWrites } from '../records/tombstones.ts';
import type { CallContext } from '../service/port.ts';
import type { ItemStore, Write } from '../storage/port.ts';
import { type LedgerItem, readLedgerItem, removeEntry } from './ledger.ts';

/** The request that deleted a project. */
type Deleter = Pick<CallContext, 'companyId' | 'requestId' | 'requestedBy'>;

/** Makes the writes that remove a deleted project from the ledger, with its tombstones and its event. */
export function forgetWrites(deps: EventDeps, deleter: Deleter, ledgerItem: LedgerItem, deletedAtMs: number): Write[] {
  const { id, customId, sequence } = ledgerItem.entry;
  return [
    ...removeEntry(deleter.companyId, ledgerItem),
    ...tombstoneWrites(deleter, { id, customId }, deletedAtMs),
    outboxWrite(deps, deleter, { type: 'project.deleted', sequence: sequence + 1, data: { projectId: id } }),
  ];
}

/**
 * Removes a project from the ledger, which the upstream service has deleted already. The service is not asked.
 * @returns whether the ledger had the project
 */
export async function forgetProject(
  { storage, ...deps }: EventDeps & { readonly storage: ItemStore },
  deleter: Deleter,
  projectId: number,
): Promise<boolean> {
  for (;;) {
    const item = await storage.read(projectKey(deleter.companyId, projectId));
    if (!item) return false;
    const writes = forgetWrites(deps, deleter, readLedgerItem(item), deps.now());
    if ((await storage.commit({ writes })).ok) return true;
  }
}
