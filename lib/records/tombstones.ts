import * as z from 'zod/mini';
import { utc } from '../contract/date.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import { eachItem, type Item, type ItemReader, type Key, type ListedStore, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { StoredRequestedBy } from './contract-records.ts';
import { companyPartition, hashOf } from './keys.ts';

/** The schema of a tombstone: the record of a deleted project. It contains no content, name or address. */
const Tombstone = recordOf(() => ({
  projectId: z.int(),
  deletedAtUtc: z.string(),
  requestId: z.string(),
  requestedBy: StoredRequestedBy,
}));
type Tombstone = z.infer<typeof Tombstone>;

/** The beginning of the sort keys of all tombstones. */
const TOMBSTONES = 'tombstone';
/** The beginning of the sort keys of tombstones under the ids of projects. */
const UNDER_ID = `${TOMBSTONES}/`;

/**
 * Makes the writes of a deleted project's tombstones: one under the id, and one under the hash of the custom id. If a
 * later project with the same custom id is deleted, its tombstone replaces the one under the hash.
 */
export function tombstoneWrites(
  { companyId, requestId, requestedBy }: Pick<CallContext, 'companyId' | 'requestId' | 'requestedBy'>,
  { id, customId }: { readonly id: number; readonly customId: string | null },
  deletedAtMs: number,
): Write[] {
  const data: Tombstone = { projectId: id, deletedAtUtc: utc(deletedAtMs), requestId, requestedBy };
  const refs: ProjectRef[] = [{ id }, ...(customId === null ? [] : [{ customId }])];
  return refs.map((ref) => ({
    kind: 'put',
    key: tombstoneKey(companyId, ref),
    data,
    expiresAtMs: deletedAtMs + retentionMsOf('tombstone'),
  }));
}

/** A project, or the hash of its custom id where the custom id itself is not kept. */
type StoredRef = ProjectRef | { readonly customIdHash: string };

/** Returns the storage key of a project's tombstone. */
export function tombstoneKey(companyId: string, ref: StoredRef): Key {
  return { partition: companyPartition(companyId), sort: sortOf(ref) };
}

function sortOf(ref: StoredRef): string {
  if ('id' in ref) return `${UNDER_ID}${String(ref.id)}`;
  return `${TOMBSTONES}-of/${'customId' in ref ? hashOf(ref.customId) : ref.customIdHash}`;
}

/** Reads the time at which a project was deleted; `undefined` if the project has no tombstone or an expired one. */
export async function deletionTime(
  { storage, now }: { readonly storage: ItemReader; readonly now: () => number },
  companyId: string,
  ref: StoredRef,
): Promise<string | undefined> {
  const item = await storage.read(tombstoneKey(companyId, ref));
  return item && (item.expiresAtMs ?? 0) > now() ? Tombstone.parse(item.data).deletedAtUtc : undefined;
}

/** A tombstone in the store. A project with a custom id has two: one under its id, and one under its custom id. */
export interface StoredTombstone extends Tombstone {
  readonly item: Item;
  readonly isUnderId: boolean;
}

/** Yields the tombstones of a company. */
export async function* eachTombstone(store: ListedStore, companyId: string): AsyncGenerator<StoredTombstone> {
  for await (const item of eachItem(store, companyPartition(companyId), TOMBSTONES)) {
    yield { ...Tombstone.parse(item.data), item, isUnderId: item.sort.startsWith(UNDER_ID) };
  }
}
