import type { JobRef } from '../../deliveries/jobs.ts';
import { companyPartition } from '../../records/keys.ts';
import { nextTurn } from '../../service/turn.ts';
import type { Item, Storage, Write } from '../../storage/port.ts';
import type { TaskId } from '../people/assign-tasks.ts';
import {
  assignmentPrefix,
  assignmentsWrite,
  type PagePlace,
  pageOf,
  readAssignmentPage,
} from '../people/assignment-item.ts';
import { firstSlots, slotsIn } from '../people/task-progress.ts';
import type { StoredProject } from '../read-projects.ts';
import { chunkChanger } from './change-chunks.ts';
import { chunkIndexOf, chunkPrefix, languagePrefix, readChunk, type SlotChange, statusesIn } from './chunk-item.ts';
import { blockPrefix } from './content-blocks.ts';
import { editPrefix } from './edit-item.ts';
import { readTaskRuns } from './project-parts.ts';
import { REMOVED, slotsOf, type TaskRuns } from './segment-tasks.ts';
import { type StatusText, UNTRANSLATED } from './status-text.ts';
import { offsetsByChunk } from './translation-view.ts';
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
    for (;;) {
      if (!isTimeLeft()) return false;
      const range = { prefix, limit: REMOVED_AT_ONCE, maxBytes: Number.POSITIVE_INFINITY };
      const { items, more } = await storage.list(companyPartition(companyId), range);
      // A refused commit has removed nothing: another worker has removed one of the items. So list them again.
      const isRemoved = items.length === 0 || (await storage.commit({ writes: items.map(removal) })).ok;
      if (isRemoved && !more) break;
    }
  }
  return true;
}

function removal({ partition, sort, version, payload }: Item): Write {
  return { kind: 'remove', key: { partition, sort }, version, drops: payload };
}

/**
 * Removes the translations of deleted tasks from all chunks, and their assignments. It may be stopped at any point.
 * Then notes in the work record that nothing is left. Stops if the project changes.
 */
export async function removeEmptySlots(
  storage: Storage,
  companyId: string,
  project: StoredProject,
  isTimeLeft: () => boolean,
): Promise<void> {
  const { record, work, workVersion } = project;
  const runs = await readTaskRuns(storage, project);
  if (!runs) return;
  const { slots } = record.payload;
  const removed = new Map(
    offsetsByChunk(
      slots,
      slotsOf(runs, (task) => task === REMOVED),
    ),
  );
  const tasks = firstSlots(runs);
  const held: Write = { kind: 'check', key: workKey(companyId, record.id), version: workVersion };
  const changer = chunkChanger(storage, held);
  for (const [language, { assignmentPages = 0 }] of work.languages.entries()) {
    const range = {
      prefix: languagePrefix(record.id, language),
      limit: slots.length + 1,
      maxBytes: Number.POSITIVE_INFINITY,
    };
    const { items } = await storage.list(companyPartition(companyId), range);
    // Other requests run between two languages.
    await nextTurn();
    for (const item of items) {
      const empty = removed.get(chunkIndexOf(item)) ?? [];
      const removedIn = (statuses: StatusText): SlotChange[] =>
        empty
          .filter((offset) => statuses[offset] !== UNTRANSLATED)
          .map((offset) => ({ offset, status: UNTRANSLATED, version: 0 }));
      if (removedIn(statusesIn(item)).length === 0) continue;
      if (!isTimeLeft()) return;
      const read = () => readChunk(storage, item, slots[chunkIndexOf(item)] ?? 0);
      if (!(await changer.change(read, ({ data }) => removedIn(data.statuses)))) return;
    }
    if (!(await changer.commit())) return;
    for (const page of pagesOfRemoved(runs, assignmentPages)) {
      if (!isTimeLeft()) return;
      const write = await writeWithoutRemoved(storage, { companyId, projectId: record.id, language, page }, tasks);
      if (write && !(await storage.commit({ writes: [held, write] })).ok) return;
    }
  }
  const data = await encodeWork({ ...work, hasRemoved: false });
  await storage.commit({ writes: [{ kind: 'replace', key: held.key, version: workVersion, data }] });
}

/** Returns the numbers of the pages that may have assignments of deleted tasks. @param pages the number of pages of the language */
function pagesOfRemoved(runs: TaskRuns, pages: number): Set<number> {
  const found = new Set<number>();
  if (pages === 0) return found;
  const slots = slotsIn(runs);
  let end = 0;
  for (const [task, count] of runs) {
    const start = end;
    end += count;
    if (task !== REMOVED) continue;
    for (let page = pageOf(start, slots, pages); page <= pageOf(end - 1, slots, pages); page++) found.add(page);
  }
  return found;
}

/**
 * Makes the write that removes the assignments of deleted tasks from a page; `undefined` if it has none.
 * @param tasks the tasks that the project still has
 */
async function writeWithoutRemoved(
  storage: Storage,
  place: PagePlace,
  tasks: ReadonlyMap<TaskId, unknown>,
): Promise<Write | undefined> {
  const page = await readAssignmentPage(storage, place);
  const byTask = new Map([...page.byTask].filter(([task]) => tasks.has(task)));
  return byTask.size === page.byTask.size ? undefined : assignmentsWrite({ ...page, byTask });
}
