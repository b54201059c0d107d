import * as z from 'zod/mini';
import { revisionOutdated } from '../contract/failures.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { ProjectRef } from '../service/port.ts';
import type { NamedProject, OutdatedPut } from '../service/put.ts';
import type { ItemReader, Key, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { companyPartition, hashOf, paddedId } from './keys.ts';

/**
 * The schema of a revision record: the highest revision that a sender has given for a project. The record never expires
 * while a project with its custom id exists. After a deletion, it is kept as long as the project's tombstone.
 */
const RevisionRecord = recordOf(() => ({
  revision: z.int(),
  /** Present if a deletion followed. A put with the same revision is then late, too. */
  deleted: z.optional(z.literal(true)),
  /**
   * The highest revision of the deletions that began and of which Segue may never hear whether they took effect. Whichever
   * request finds the project gone remembers it.
   */
  deleting: z.optional(z.int()),
}));
type RevisionRecord = z.infer<typeof RevisionRecord>;

/** The last revision of a project, as it was read from the store. */
export interface LastRevision {
  readonly key: Key;
  /** The record with its version; absent if nothing is remembered. */
  readonly known?: { readonly record: RevisionRecord; readonly version: number; readonly expiresAtMs?: number };
}

/** What names a project in the records of revisions: the custom id, or the id of a project without one. */
export function revisionRef({ id, customId }: { readonly id: number; readonly customId: string | null }): ProjectRef {
  return customId === null ? { id } : { customId };
}

/** Returns the storage key of a revision record. It contains a hash of the custom id, like the key of the custom id. */
export function revisionKey(companyId: string, ref: ProjectRef): Key {
  const name = 'id' in ref ? `id/${paddedId(ref.id)}` : `custom-id/${hashOf(ref.customId)}`;
  return { partition: companyPartition(companyId), sort: `revision/${name}` };
}

/**
 * Reads the last revision of a project. A change that depends on it reads it before the project, and commits the writes
 * of this module. So the store refuses the change if another one has come between.
 */
export async function readRevision(
  { storage, now }: { readonly storage: ItemReader; readonly now: () => number },
  companyId: string,
  ref: ProjectRef,
): Promise<LastRevision> {
  const key = revisionKey(companyId, ref);
  const item = await storage.read(key);
  const { expiresAtMs } = item ?? {};
  if (!item || (expiresAtMs ?? Number.POSITIVE_INFINITY) <= now()) return { key };
  const record = RevisionRecord.parse(item.data);
  return { key, known: { record, version: item.version, ...(expiresAtMs !== undefined && { expiresAtMs }) } };
}

/**
 * Returns the result of a put that comes too late: its revision is lower than the last one, or a deletion has followed
 * and its revision is not higher. Returns `undefined` if the put may go on.
 * @param project the project of the put, if it exists
 */
export function outdatedPut(
  { known }: LastRevision,
  revision: number | undefined,
  project?: NamedProject,
): OutdatedPut | undefined {
  if (!known || revision === undefined) return undefined;
  const { record } = known;
  const isLate = record.deleted ? revision <= record.revision : revision < record.revision;
  return isLate ? { outcome: 'outdated', revision: record.revision, ...(project && { project }) } : undefined;
}

/**
 * Checks that a deletion does not come too late.
 * @throws {Problem} `revision-outdated` if its revision is lower than the last one
 */
export function requireCurrentDeletion({ known }: LastRevision, revision: number | undefined): void {
  if (known && revision !== undefined && revision < known.record.revision)
    throw revisionOutdated(known.record.revision);
}

/**
 * Makes the writes that remember the revision of a put that is not outdated; none if they would change nothing. The store
 * refuses them if another request has changed the record.
 */
export function putRevisionWrites(last: LastRevision, revision: number | undefined, nowMs: number): Write[] {
  if (revision === undefined) return [];
  const { record, expiresAtMs } = last.known ?? {};
  const isKnown = record?.revision === revision && !record.deleted && expiresAtMs === undefined;
  if (isKnown) return [];
  const { deleted: _, deleting = 0, ...kept } = record ?? {};
  return [changeOf(last, { ...kept, revision, ...(deleting > revision && { deleting }) }, nowMs)];
}

/**
 * Makes the writes that keep a revision that is remembered after a deletion, because a project gets the custom id again;
 * none if nothing is remembered. The store refuses them if another request has changed the record.
 */
export function keptRevisionWrites(last: LastRevision, nowMs: number): Write[] {
  return last.known?.expiresAtMs === undefined ? [] : [changeOf(last, last.known.record, nowMs)];
}

/**
 * Makes the write that holds the record for a put or deletion that is not one commit. It makes nothing late, but the store
 * refuses other changes which were decided before.
 * @param deletion the revision of the deletion that begins; `undefined` for a put
 */
export function revisionHold(last: LastRevision, nowMs: number, deletion?: number): Write {
  const { record, expiresAtMs = undefined } = last.known ?? { expiresAtMs: rememberedUntil(nowMs) };
  const deleting = Math.max(record?.deleting ?? 0, deletion ?? 0);
  // No put and no deletion is late because of the revision 0.
  return changeOf(last, { revision: 0, ...record, ...(deleting > 0 && { deleting }) }, nowMs, expiresAtMs);
}

/**
 * Makes the writes that remember a deletion; none if neither it nor an earlier request has a revision. Also use them for
 * a deletion by custom id that has found no project, so that a late put does not create it. The store refuses them if
 * another request has changed the record.
 */
export function deletionRevisionWrites(last: LastRevision, revision: number | undefined, deletedAtMs: number): Write[] {
  const record = last.known?.record;
  if (!record && revision === undefined) return [];
  const { deleting = 0, ...kept } = record ?? {};
  const highest = Math.max(record?.revision ?? 0, deleting, revision ?? 0);
  const data = { ...kept, revision: highest, deleted: true } as const;
  return [changeOf(last, data, deletedAtMs, rememberedUntil(deletedAtMs))];
}

/** Returns until when a revision is remembered after a deletion, in milliseconds since 1970. */
export function rememberedUntil(deletedAtMs: number): number {
  return deletedAtMs + retentionMsOf('tombstone');
}

function changeOf({ key, known }: LastRevision, data: RevisionRecord, nowMs: number, expiresAtMs?: number): Write {
  const content = { key, data, ...(expiresAtMs !== undefined && { expiresAtMs }) };
  if (known) return { kind: 'replace', version: known.version, ...content };
  return { kind: 'insert', replacesExpiredAtMs: nowMs, ...content };
}
