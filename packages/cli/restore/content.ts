import type { JsonClient } from '../../../lib/aws/json-client.ts';
import { companyIn } from '../../../lib/records/keys.ts';
import type { ListedObject } from '../../../lib/storage/dynamodb/objects.ts';
import { type ObjectOwner, objectOwners } from '../../../lib/storage/dynamodb/payload-objects.ts';
import { droppedMarker } from '../../../lib/storage/dynamodb/sweep-markers.ts';
import type { ItemReader, ItemStore } from '../../../lib/storage/port.ts';
import { nameOf, type ProjectOfCompany } from './projects.ts';

/** How the objects of a bucket differ from those that a table refers to. */
export interface ContentCheck {
  /** Projects of which the bucket has no content, or not all. */
  readonly withoutContent: readonly ProjectOfCompany[];
  /** The names of objects that no item refers to. */
  readonly unreferenced: readonly string[];
}

const DAY_MS = 86_400_000;
/** An object may be this old before its item is committed. A request takes seconds, and the sweeper waits for minutes. */
const YOUNG_MS = DAY_MS;
/** How long unreferenced objects are kept, so that the lost table can still be used instead, in milliseconds. */
const KEPT_MS = 7 * DAY_MS;

/** The table and the bucket to compare. */
export interface CheckedStore {
  readonly call: JsonClient;
  readonly table: string;
  readonly items: ItemReader;
  readonly objects: () => AsyncIterable<ListedObject>;
}

/** Compares a table with its bucket. */
export async function checkContent(
  { call, table, items, objects }: CheckedStore,
  nowMs: number,
): Promise<ContentCheck> {
  const owners = await objectOwners(call, table);
  const writtenAtMs = new Map(await Array.fromAsync(objects(), (each) => [each.name, each.writtenAtMs] as const));
  const missing: ObjectOwner[] = [];
  for (const owner of owners) {
    // An item may have changed after it was read, and its object be removed.
    const isMissing = !writtenAtMs.has(owner.object) && (await items.read(owner))?.payload === owner.object;
    if (isMissing) missing.push(owner);
  }
  const owned = new Set(owners.map(({ object }) => object));
  return {
    withoutContent: [...new Map(missing.map(projectOf).map((project) => [nameOf(project), project])).values()],
    unreferenced: [...writtenAtMs].flatMap(([name, atMs]) =>
      owned.has(name) || nowMs - atMs < YOUNG_MS ? [] : [name],
    ),
  };
}

/** Returns the project of an item. The sort key of every item with a payload begins with its kind and the project's id. */
function projectOf({ partition, sort }: ObjectOwner): ProjectOfCompany {
  return { companyId: companyIn(partition), projectId: Number(sort.split('/')[1]) };
}

/** Tells the sweeper of a table to remove objects later. An object that it knows of already stays as it is. */
export async function sweepLater(store: ItemStore, objects: readonly string[], nowMs: number): Promise<void> {
  for (const name of objects) {
    const partition = name.slice(0, name.lastIndexOf('/'));
    await store.commit({ writes: [droppedMarker(name, { partition, sort: 'none' }, nowMs + KEPT_MS)] });
  }
}
