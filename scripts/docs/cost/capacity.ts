import { LIMITS } from '../../../lib/contract/limits.ts';
import { MOST_INLINE_BYTES } from '../../../lib/storage/dynamodb/payload.ts';
import type { ListedProject, StoredProject } from './projects.ts';

/** What an operation takes of the stores. */
export interface Capacity {
  readonly writeUnits: number;
  readonly readUnits: number;
  /** PUT and LIST, which cost the same. */
  readonly objectPuts: number;
  readonly objectGets: number;
}

/** Everything of a transaction is written twice, in units of 1 KiB; of what is replaced, the larger one counts. */
const written = (...items: readonly number[]) => items.reduce((sum, bytes) => sum + 2 * units(bytes, 1_024), 0);
/** Every read is consistent, in units of 4 KiB; so is one of nothing. */
const read = (...items: readonly number[]) => items.reduce((sum, bytes) => sum + units(bytes, 4_096), 0);
const units = (bytes: number, size: number) => Math.max(1, Math.ceil(bytes / size));

/** An item that is no larger than a unit of either kind: an event, a tombstone, a mark, a custom id, a request, a key. */
const SMALL_ITEM = 500;
/** Names, keys, version, hash: of a record beside its data, and of a payload beside its bytes. */
const AROUND_RECORD = 80;
const AROUND_PAYLOAD = 150;

export function isObject({ payloadBytes }: StoredProject): boolean {
  return payloadBytes > MOST_INLINE_BYTES;
}

/** The items of a project that stay: their bytes in the table. */
export function itemsOf(project: StoredProject) {
  return {
    record: project.recordBytes + AROUND_RECORD,
    payload: (isObject(project) ? 0 : project.payloadBytes) + AROUND_PAYLOAD,
    customId: project.hasCustomId ? [SMALL_ITEM] : [],
  };
}

function create(project: StoredProject): Capacity {
  const { record, payload, customId } = itemsOf(project);
  const event = SMALL_ITEM;
  return withObject(project, OBJECT_IN, {
    writeUnits: written(record, payload, event, ...customId),
    readUnits: read(event),
  });
}

function createWithKey(project: StoredProject): Capacity {
  return sum(create(project), ONCE);
}

function get(project: StoredProject): Capacity {
  const { record, payload } = itemsOf(project);
  return withObject(project, OBJECT_READ, { writeUnits: 0, readUnits: read(record, payload) });
}

function deleteTask(project: StoredProject): Capacity {
  const { record, payload } = itemsOf(project);
  const [event, key] = [SMALL_ITEM, SMALL_ITEM];
  return withObject(project, sum(OBJECT_READ, OBJECT_IN, OBJECT_OUT), {
    writeUnits: written(record, payload, event, key),
    readUnits: read(record, payload, event),
  });
}

function deleteProject(project: StoredProject): Capacity {
  const { record, payload, customId } = itemsOf(project);
  const [event, key, tombstone] = [SMALL_ITEM, SMALL_ITEM, SMALL_ITEM];
  return withObject(project, OBJECT_OUT, {
    writeUnits: written(record, payload, event, key, tombstone, ...customId, ...customId.map(() => tombstone)),
    readUnits: read(record, event),
  });
}

/** The caller's key is read before the request: who may delete no more is told nothing of earlier requests. */
function deleteWithKey(project: StoredProject): Capacity {
  return sum(deleteProject(project), ONCE, { ...NOTHING, readUnits: read(SMALL_ITEM) });
}

/** What each operation takes of the stores, with what publishes its event and sweeps. Retries and refusals come on top. */
export const OPERATIONS = {
  create,
  'create with a key': createWithKey,
  read: get,
  'delete a task': deleteTask,
  delete: deleteProject,
  'delete with a key': deleteWithKey,
} as const;
export type OperationName = keyof typeof OPERATIONS;

/** A query reads up to two items more than its page holds: the last one of the page before, and one that follows. */
const BESIDE_PAGE = 2;

/** The read units of a list of so many projects, page by page: a query adds up its items, in units of 4 KiB. */
export function listUnits({ headBytes, recordBytes }: ListedProject, projects: number): number {
  const page = Math.min(LIMITS.listMax, Math.ceil(LIMITS.bodyBytes / headBytes));
  let readUnits = 0;
  let limit: number = LIMITS.listMax;
  for (let from = 0; from < projects; from += page) {
    const items = Math.min(projects - Math.max(0, from - 1), limit + BESIDE_PAGE);
    readUnits += units(items * (recordBytes + AROUND_RECORD), 4_096);
    // A whole list asks for pages that are hardly longer than the one before.
    limit = Math.min(LIMITS.listMax, page + 10);
  }
  return readUnits;
}

const NOTHING: Capacity = { writeUnits: 0, readUnits: 0, objectPuts: 0, objectGets: 0 };
/** The record of a request with a key is looked up, written as a claim, and written again with its result. */
const ONCE: Capacity = { ...NOTHING, writeUnits: written(SMALL_ITEM, SMALL_ITEM), readUnits: read(SMALL_ITEM) };
const OBJECT_READ: Capacity = { ...NOTHING, objectGets: 1 };
/** What a payload takes more in its life as an object, whatever its size, but for being read. */
export const objectLife = () => sum(OBJECT_IN, OBJECT_OUT);
/** A payload as an object: marked before, put, and unmarked with the commit. */
const OBJECT_IN: Capacity = { ...NOTHING, writeUnits: written(SMALL_ITEM, SMALL_ITEM), objectPuts: 1 };
/**
 * An object that goes: marked with the commit; the sweeper reads mark and payload, takes the mark, lists the versions
 * before and after it deletes them, and removes the mark.
 */
const OBJECT_OUT: Capacity = {
  ...NOTHING,
  writeUnits: written(SMALL_ITEM, SMALL_ITEM, SMALL_ITEM),
  readUnits: read(SMALL_ITEM, SMALL_ITEM),
  objectPuts: 2,
};

function withObject(
  project: StoredProject,
  objects: Capacity,
  table: Pick<Capacity, 'writeUnits' | 'readUnits'>,
): Capacity {
  return isObject(project) ? sum({ ...NOTHING, ...table }, objects) : { ...NOTHING, ...table };
}

function sum(...all: readonly Capacity[]): Capacity {
  const total = (name: keyof Capacity) => all.reduce((amount, capacity) => amount + capacity[name], 0);
  return {
    writeUnits: total('writeUnits'),
    readUnits: total('readUnits'),
    objectPuts: total('objectPuts'),
    objectGets: total('objectGets'),
  };
}
