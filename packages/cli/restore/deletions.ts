import * as z from 'zod/mini';
import { DomainEvent, type EventType } from '../../../lib/contract/event.ts';
import type { RequestedBy } from '../../../lib/contract/receipt.ts';
import { FEED_PREFIX, idBefore, readFeedRecord, readOutboxRecord } from '../../../lib/records/feed-record.ts';
import { eventsPartition, OUTBOX_PREFIX } from '../../../lib/records/outbox.ts';
import { eachTombstone, type StoredTombstone } from '../../../lib/records/tombstones.ts';
import { eachItem, type Item, type ListedStore } from '../../../lib/storage/port.ts';
import { tryParseJson, UsageError } from '../io.ts';

/** A deletion that the restored table does not know of. */
export interface Deletion {
  readonly companyId: string;
  readonly projectId: number;
  /** The deleted task; absent if the whole project was deleted. */
  readonly taskId?: string | undefined;
  readonly requestId: string;
  readonly requestedBy: RequestedBy;
}

/** The deletions of projects and tasks after the time to which a table was restored. */
export interface Deletions {
  readonly deletions: readonly Deletion[];
  /** The tombstones of these projects, as the lost table has them. */
  readonly tombstones: readonly Item[];
}

/** Who asked for a deletion that only an event tells of. */
const UNKNOWN: RequestedBy = { kind: 'workflow', id: null };

/** Finds the deletions of a company that one table knows of, and the table restored from it does not. */
export async function deletionsSince(
  companyId: string,
  { lost, restored }: { readonly lost: ListedStore; readonly restored: ListedStore },
): Promise<Deletions> {
  const known = new Map(
    await Array.fromAsync(eachTombstone(restored, companyId), (each) => [each.item.sort, each] as const),
  );
  const added = (await Array.fromAsync(eachTombstone(lost, companyId))).filter((each) =>
    isLater(each, known.get(each.item.sort)),
  );
  const projects = added
    .filter(({ isUnderId }) => isUnderId)
    .map(({ projectId, requestId, requestedBy }): Deletion => ({ companyId, projectId, requestId, requestedBy }));
  const before = new Set(await Array.fromAsync(taskDeletions(restored, companyId), ({ id }) => id));
  const tasks = (await Array.fromAsync(taskDeletions(lost, companyId))).filter(({ id }) => !before.has(id));
  return {
    deletions: [...projects, ...tasks.map(({ deletion }) => deletion)],
    tombstones: added.map(({ item }) => item),
  };
}

/** Whether a tombstone replaces the one in the restored table, which may be that of the repeated deletion. */
function isLater(tombstone: StoredTombstone, restored: StoredTombstone | undefined): boolean {
  if (!restored || restored.deletedAtUtc < tombstone.deletedAtUtc) return true;
  return restored.projectId === tombstone.projectId && restored.deletedAtUtc !== tombstone.deletedAtUtc;
}

async function* taskDeletions(store: ListedStore, companyId: string) {
  const partition = eventsPartition(companyId);
  for await (const { data } of eachItem(store, partition, OUTBOX_PREFIX)) {
    const { event, position } = readOutboxRecord(data);
    // With a position, the event is in the feed too.
    if (position === undefined) yield* taskDeletion(event.id, event);
  }
  for await (const { data } of eachItem(store, partition, FEED_PREFIX)) {
    const record = readFeedRecord(data);
    yield* taskDeletion(idBefore(record), record.event);
  }
}

function* taskDeletion(
  id: string,
  event: DomainEvent,
): Generator<{ readonly id: string; readonly deletion: Deletion }> {
  const deletion = event.type === 'task.deleted' ? deletionOf(event) : undefined;
  if (deletion) yield { id, deletion };
}

const DELETED: readonly EventType[] = ['project.deleted', 'task.deleted'];

function deletionOf({ type, companyId, projectId, taskId, requestId }: DomainEvent): Deletion | undefined {
  if (!DELETED.includes(type) || (type === 'task.deleted') !== (taskId !== undefined)) return undefined;
  return { companyId, projectId, taskId, requestId, requestedBy: UNKNOWN };
}

/** An event of the bus, or its `detail` alone. */
const BusEvent = z.union([z.object({ detail: DomainEvent }), DomainEvent]);

/**
 * Reads the deletions in a file of events of the bus: JSON Lines, in which other events are passed over.
 * @throws {CliError} if a line is no event
 */
export function deletionsIn(events: string): Deletion[] {
  return events.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const { data } = BusEvent.safeParse(tryParseJson(line));
    if (!data) {
      throw new UsageError(`line ${index + 1} of the events is no event of the bus: see docs/events.md`);
    }
    return deletionOf('detail' in data ? data.detail : data) ?? [];
  });
}
