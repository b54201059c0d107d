import type { JobRef } from '../../deliveries/jobs.ts';
import { companyPartition } from '../../records/keys.ts';
import { nextTurn } from '../../service/turn.ts';
import { eachItem, type Item, type Storage, type Write } from '../../storage/port.ts';
import { assignmentPrefix, assignmentsWrite, readAssignmentPage } from '../people/assignment-item.ts';
import type { StoredProject } from '../read-projects.ts';
import { chunkChanger } from './change-chunks.ts';
import {
  type ChunkPlace,
  chunkIndexOf,
  chunkKey,
  chunkOf,
  chunkPrefix,
  languageIn,
  languagePrefix,
  readChunk,
  type TranslationChunk,
} from './chunk-item.ts';
import { blockPrefix } from './content-blocks.ts';
import { editPrefix } from './edit-item.ts';
import { readTaskRuns } from './project-parts.ts';
import type { TaskId } from './segment-tasks.ts';
import type { TranslationView } from './translation-view.ts';
import { encodeWork, workKey } from './work-record.ts';

/** The maximum number of items that one commit removes. DynamoDB allows 4 MB of items in a transaction, with payloads. */
const REMOVED_AT_ONCE = 5;

/**
 * Removes all translations, edits and assignments of a deleted project. Nothing can add any, because that changes the
 * work record or the item of the project.
 * @param isTimeLeft called before each commit; if it returns `false`, the removal stops
 * @returns whether nothing is left
 */
export async function removeAll(
  storage: Storage,
  { companyId, projectId }: Pick<JobRef, 'companyId' | 'projectId'>,
  isTimeLeft: () => boolean,
): Promise<boolean> {
  const chunks = chunkPrefix(projectId);
  for (const prefix of [chunks, blockPrefix(chunks), editPrefix(projectId), assignmentPrefix(projectId)]) {
    if (!(await removeUnder(storage, companyId, prefix, isTimeLeft))) return false;
  }
  return true;
}

/**
 * Removes all items under a prefix.
 * @param held the condition of each commit, if there is one
 * @returns whether nothing is left
 */
async function removeUnder(
  storage: Storage,
  companyId: string,
  prefix: string,
  isTimeLeft: () => boolean,
  held?: Write,
): Promise<boolean> {
  for (;;) {
    if (!isTimeLeft()) return false;
    const range = { prefix, limit: REMOVED_AT_ONCE, maxBytes: Number.POSITIVE_INFINITY };
    const { items, more } = await storage.list(companyPartition(companyId), range);
    const writes = [...(held ? [held] : []), ...items.map(removal)];
    // A refused commit has removed nothing: another worker has removed one of the items. So list them again.
    const isRemoved = items.length === 0 || (await storage.commit({ writes })).ok;
    if (isRemoved && !more) return true;
    if (!isRemoved && held) return false;
  }
}

function removal({ partition, sort, version, payload }: Item): Write {
  return { kind: 'remove', key: { partition, sort }, version, drops: payload };
}

/**
 * Removes from all chunks what has become stale, and the assignments of tasks and languages that the project no longer
 * has. It may be stopped at any point. Then notes in the work record that nothing is left. Stops if the project changes.
 */
export async function removeStale(
  storage: Storage,
  companyId: string,
  project: StoredProject,
  { layout, chunks }: Pick<TranslationView, 'layout' | 'chunks'>,
  isTimeLeft: () => boolean,
): Promise<void> {
  const { id, work, workVersion } = project;
  const runs = await readTaskRuns(storage, project);
  if (!runs) return;
  const held: Write = { kind: 'check', key: workKey(companyId, id), version: workVersion };
  const isPresent = new Map(work.languages.map((language) => [language.languageId, language]));
  const changer = chunkChanger(storage, held, layout.edition);
  const absent = new Set<number>();
  for await (const item of eachItem(storage, companyPartition(companyId), chunkPrefix(id))) {
    const place = { languageId: languageIn(item), chunk: chunkIndexOf(item) };
    const count = layout.slots[place.chunk] ?? 0;
    // Other requests run between two chunks.
    await nextTurn();
    if (!isPresent.has(place.languageId)) absent.add(place.languageId);
    if (absent.has(place.languageId)) continue;
    const staleIn = (chunk: TranslationChunk) => chunks.stale.changesOf(place, chunk);
    if (staleIn(chunkOf(item, count)).length === 0) continue;
    if (!isTimeLeft() || !(await changer.change(() => readChunk(storage, item, count), staleIn))) return;
  }
  if (!(await changer.commit())) return;
  for (const languageId of absent) {
    const prefix = languagePrefix(id, languageId);
    // The chunks go last, because they tell that the language has blocks.
    for (const each of [blockPrefix(prefix), prefix]) {
      if (!(await removeUnder(storage, companyId, each, isTimeLeft, held))) return;
    }
  }
  const tasks = new Set<TaskId>(runs.map(([task]) => task));
  for await (const item of eachItem(storage, companyPartition(companyId), assignmentPrefix(id))) {
    if (!isTimeLeft()) return;
    const language = isPresent.get(languageIn(item));
    const write = language?.assignmentPages ? await writeWithoutRemoved(storage, item, tasks) : removal(item);
    if (write && !(await storage.commit({ writes: [held, write] })).ok) return;
  }
  const data = await encodeWork({ ...work, hasStale: false });
  await storage.commit({ writes: [{ kind: 'replace', key: held.key, version: workVersion, data }] });
}

/** Removes what has become stale from one chunk. Stops if the project changes. */
export async function removeStaleIn(
  storage: Storage,
  companyId: string,
  { id, workVersion }: StoredProject,
  { layout, chunks }: Pick<TranslationView, 'layout' | 'chunks'>,
  place: ChunkPlace,
): Promise<boolean> {
  const changer = chunkChanger(
    storage,
    { kind: 'check', key: workKey(companyId, id), version: workVersion },
    layout.edition,
  );
  const read = () => readChunk(storage, chunkKey(companyId, id, place), layout.slots[place.chunk] ?? 0);
  return (await changer.change(read, (chunk) => chunks.stale.changesOf(place, chunk))) && changer.commit();
}

/**
 * Makes the write that removes the assignments of deleted tasks from a page; `undefined` if it has none.
 * @param tasks the tasks that the project still has
 */
async function writeWithoutRemoved(
  storage: Storage,
  { partition, sort }: Item,
  tasks: ReadonlySet<TaskId>,
): Promise<Write | undefined> {
  const page = await readAssignmentPage(storage, { partition, sort });
  const byTask = new Map([...page.byTask].filter(([task]) => tasks.has(task)));
  return byTask.size === page.byTask.size ? undefined : assignmentsWrite({ ...page, byTask });
}
