import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { WORK_ROLES } from '../../contract/event.ts';
import { companyPartition, paddedId } from '../../records/keys.ts';
import type { Item, Key, Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { decodePayload, encodeJson, JsonPayload } from '../work/json-payload.ts';
import type { TaskId } from '../work/segment-tasks.ts';
import type { TaskAssignments } from './assign-tasks.ts';

/**
 * The schema of the data of a page of assignments: who works on some tasks of one language. The hash of a task selects its
 * page. So a change of some tasks writes their pages, and a reader of one task reads one page.
 */
const PageData = recordOf(() => ({ payload: JsonPayload }));
type PageData = z.infer<typeof PageData>;

const Assignments = z.partialRecord(
  z.enum(WORK_ROLES),
  recordOf(() => ({ memberId: z.nullable(z.int()), isDone: z.boolean() })),
);
/** The schema of the payload: the assignments of each task. A reader checks those of the tasks that it needs. */
const Entries = z.array(z.tuple([z.nullable(z.string()), z.unknown()]));

/** The number of tasks for which a language gets another page. */
const TASKS_OF_PAGE = 250;

/** A page of assignments, as it was read from the store. */
export interface AssignmentPage {
  readonly key: Key;
  /** Absent if nothing of the page is assigned yet. */
  readonly item: Item | undefined;
  readonly byTask: ReadonlyMap<TaskId, TaskAssignments>;
}

/** The place of a page: a project, the id of a language, and the number of the page. */
export interface PagePlace {
  readonly companyId: string;
  readonly projectId: number;
  readonly languageId: number;
  readonly page: number;
}

/** Returns the prefix of the sort keys of a project's assignments. */
export function assignmentPrefix(projectId: number): string {
  return `assignment/${paddedId(projectId)}/`;
}

/** Returns the number of pages for the assignments of a language. @param tasks the number of its tasks */
export function pagesFor(tasks: number): number {
  return Math.max(1, Math.ceil(tasks / TASKS_OF_PAGE));
}

/** Returns the number of the page of a task. @param pages the number of pages of the language */
export function pageOf(task: TaskId, pages: number): number {
  return pages === 1 ? 0 : crc32(task ?? '') % pages;
}

/** Returns the storage key of a page. */
export function pageKey({ companyId, projectId, languageId, page }: PagePlace): Key {
  const [language, number] = [languageId, page].map((each) => String(each).padStart(4, '0'));
  return { partition: companyPartition(companyId), sort: `${assignmentPrefix(projectId)}${language}/${number}` };
}

/**
 * Reads a page of assignments. It may have tasks that were deleted a moment ago.
 * @param isWanted whether the reader needs a task
 */
export async function readAssignmentPage(
  storage: Pick<Storage, 'readWithPayload'>,
  key: Key,
  isWanted: (task: TaskId) => boolean = () => true,
): Promise<AssignmentPage> {
  const whole = await storage.readWithPayload(key);
  if (!whole) return { key, item: undefined, byTask: new Map() };
  const plain = decodePayload(PageData.parse(whole.item.data).payload, whole.bytes);
  const entries = Entries.parse(JSON.parse(Buffer.from(plain).toString())).filter(([task]) => isWanted(task));
  return { key, item: whole.item, byTask: new Map(entries.map(([task, roles]) => [task, Assignments.parse(roles)])) };
}

/** Makes the write that stores a page of assignments. */
export async function assignmentsWrite({ key, item, byTask }: AssignmentPage): Promise<Write> {
  const { payload, bytes } = await encodeJson([...byTask]);
  const data = item ? { ...PageData.parse(item.data), payload } : { payload };
  const written = { key, data: data satisfies PageData, bytes };
  return item
    ? { kind: 'replace', version: item.version, drops: item.payload, ...written }
    : { kind: 'insert', ...written };
}
