import { companyPartition, PROJECT_PREFIX } from '../../../lib/records/keys.ts';
import { eachItem, type Item, type ListedStore } from '../../../lib/storage/port.ts';
import { type Deletion, deletionsSince } from './deletions.ts';
import type { Repeater } from './repeat-deletions.ts';

/** A project of a company. */
export interface ProjectOfCompany {
  readonly companyId: string;
  readonly projectId: number;
}

/** How the projects of a restored table were changed, and which it does not have. */
export interface ProjectChanges {
  /** The deletions that were repeated. */
  readonly repeated: readonly Deletion[];
  /** Projects that only the lost table has. */
  readonly lostProjects: readonly ProjectOfCompany[];
}

/** The tables before and after a restore. */
interface BothStores {
  readonly lost: ListedStore;
  readonly restored: ListedStore;
}

/** Repeats the deletions of a company that only the lost table knows of, and finds the projects that only it has. */
export async function restoreProjects(
  companyId: string,
  stores: BothStores,
  { repeat, isDryRun }: { readonly repeat: RepeatEach; readonly isDryRun: boolean },
): Promise<ProjectChanges> {
  const { deletions, tombstones } = await deletionsSince(companyId, stores);
  const repeated = await repeat(deletions);
  if (!isDryRun) await putAll(stores.restored, tombstones);
  return { repeated, lostProjects: await projectsOnlyIn(stores, companyId) };
}

/** Repeats the deletions of what a restored table still has. Returns these deletions. */
export type RepeatEach = (deletions: readonly Deletion[]) => Promise<Deletion[]>;

/** @param isPossible whether a deletion can be repeated; the others are left out */
export function repeatEach(
  repeater: Repeater,
  { isDryRun, isPossible }: { readonly isDryRun: boolean; readonly isPossible: (deletion: Deletion) => boolean },
): RepeatEach {
  return async (deletions) => {
    const repeated: Deletion[] = [];
    for (const deletion of deletions) {
      if (!isPossible(deletion) || !(await repeater.isPresent(deletion))) continue;
      if (!isDryRun) await repeater.repeat(deletion);
      repeated.push(deletion);
    }
    return repeated;
  };
}

/** Puts tombstones into the restored table, so that late retries get the time of the first deletion. */
async function putAll(store: ListedStore, tombstones: readonly Item[]): Promise<void> {
  for (const { partition, sort, data, expiresAtMs } of tombstones) {
    const content = { key: { partition, sort }, data, ...(expiresAtMs !== undefined && { expiresAtMs }) };
    await store.commit({ writes: [{ kind: 'put', ...content }] });
  }
}

async function projectsOnlyIn({ lost, restored }: BothStores, companyId: string): Promise<ProjectOfCompany[]> {
  const sortsIn = (store: ListedStore) =>
    Array.fromAsync(eachItem(store, companyPartition(companyId), PROJECT_PREFIX), ({ sort }) => sort);
  const known = new Set(await sortsIn(restored));
  const missing = (await sortsIn(lost)).filter((sort) => !known.has(sort));
  return missing.map((sort) => ({ companyId, projectId: Number(sort.slice(PROJECT_PREFIX.length)) }));
}

/** Returns a name for a project that no other project has. */
export function nameOf({ companyId, projectId }: ProjectOfCompany): string {
  return `${companyId}/${projectId}`;
}
