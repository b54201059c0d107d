import * as z from 'zod/mini';
import type { Project } from '../../contract/project-answer.ts';
import { companyPartition, PackedText, packText, paddedId, unpackText } from '../../idempotency/project-item.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { ItemReader, Key, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { firstSegmentId } from '../project-payload.ts';

/**
 * The tasks of the slots of a project, as runs: each run has a task id and the number of its slots, in the order of the
 * slots. A task id is null for segments without a task, and `REMOVED` for the empty slots of deleted tasks. The task of
 * the project itself comes first, in a run that may have no slots.
 */
const TaskRuns = z.array(z.tuple([z.union([z.string(), z.null(), z.literal(0)]), z.int()]));
export type TaskRuns = z.infer<typeof TaskRuns>;

/** The task id of an empty slot. */
export const REMOVED = 0;

/** The fields of a project's item that describe its tasks. */
export const TASK_FIELDS = {
  /** The number of tasks. */
  tasks: z.int(),
  /** Short runs. Longer ones have an item of their own, because lists read the items of all projects. */
  taskRuns: z.optional(z.union([TaskRuns, PackedText])),
  /**
   * The version of the project for which the item of its tasks was written. Absent if the project has no such item: then
   * `taskRuns` has the runs, unless they are too large for any item.
   */
  tasksVersion: z.optional(z.int()),
};
export type TaskFields = z.infer<z.ZodMiniObject<typeof TASK_FIELDS>>;

/** The schema of the data in the item of a project's tasks. */
const TasksRecord = recordOf({ taskRuns: PackedText });

/** Returns the storage key of the item of a project's tasks. The item never changes: each deletion of a task writes another. */
function tasksKey(companyId: string, projectId: number, projectVersion: number): Key {
  const sort = `tasks/${paddedId(projectId)}/${projectVersion}`;
  return { partition: companyPartition(companyId), sort };
}

/** The maximum length of runs that are stored as they are, in UTF-16 code units of JSON. */
const MAX_PLAIN_LENGTH = 512;
/** The maximum length of packed runs in the item of a project, in base64. Longer runs have an item of their own. */
const MAX_OWN_LENGTH = 1_024;

/** Returns the task runs of a project. @param slots the number of slots in each chunk */
export function taskRunsOf(project: Project, slots: readonly number[]): TaskRuns {
  const { id: projectId, taskId: own, targetLanguages, segments } = project;
  const firstId = firstSegmentId({ id: projectId, targetLanguages: targetLanguages.length });
  const endId = firstId + slots.reduce((sum, count) => sum + count, 0);
  const runs: TaskRuns = own === undefined ? [] : [[own, 0]];
  let next = firstId;
  for (const { id, taskId } of segments) {
    if (id > next) addSlots(runs, REMOVED, id - next);
    addSlots(runs, taskId ?? own ?? null, 1);
    next = id + 1;
  }
  if (next < endId) addSlots(runs, REMOVED, endId - next);
  return runs;
}

function addSlots(runs: TaskRuns, task: TaskRuns[number][0], count: number): void {
  const last = runs.at(-1);
  if (last?.[0] === task) last[1] += count;
  else runs.push([task, count]);
}

/** The tasks of a project in the form in which they are stored. */
export interface StoredTasks {
  /** The fields of the project's item. */
  readonly fields: TaskFields;
  /** The data of the item of the tasks; absent if the project has none. */
  readonly item?: z.infer<typeof TasksRecord>;
}

/** Encodes the tasks of a project. @param projectVersion the version of the project's item that gets the fields */
export async function encodeTasks(runs: TaskRuns, projectVersion: number): Promise<StoredTasks> {
  const tasks = tasksIn(runs).size;
  const json = JSON.stringify(runs);
  if (json.length <= MAX_PLAIN_LENGTH) return { fields: { tasks, taskRuns: runs } };
  const taskRuns = packText(await encodeText(json));
  if (!taskRuns) return { fields: { tasks } };
  if (taskRuns.base64.length <= MAX_OWN_LENGTH) return { fields: { tasks, taskRuns } };
  return { fields: { tasks, tasksVersion: projectVersion }, item: { taskRuns } };
}

/** Makes the writes that replace the item of a project's tasks. @param after `undefined` if the project is deleted */
export function tasksWrites(
  companyId: string,
  projectId: number,
  before: Pick<TaskFields, 'tasksVersion'>,
  after?: StoredTasks,
): Write[] {
  const keyOf = ({ tasksVersion }: Pick<TaskFields, 'tasksVersion'>) =>
    tasksVersion === undefined ? undefined : tasksKey(companyId, projectId, tasksVersion);
  const [removed, inserted] = [keyOf(before), after && keyOf(after.fields)];
  return [
    ...(removed ? [{ kind: 'remove', key: removed, version: 1 } as const] : []),
    ...(inserted && after?.item ? [{ kind: 'insert', key: inserted, data: after.item } as const] : []),
  ];
}

/** Removes the fields of tasks from the fields of an item, so that those of other tasks can take their place. */
export function withoutTasks<T extends TaskFields>({ tasks: _, taskRuns: __, tasksVersion: ___, ...others }: T) {
  return others;
}

/**
 * Reads the stored task runs of a project; `undefined` if no item has them, or if the project has changed since it was
 * read.
 */
export async function readStoredRuns(
  storage: ItemReader,
  companyId: string,
  { id, taskRuns, tasksVersion }: TaskFields & { readonly id: number },
): Promise<TaskRuns | undefined> {
  if (tasksVersion === undefined) {
    return taskRuns === undefined || Array.isArray(taskRuns) ? taskRuns : unpackRuns(taskRuns);
  }
  const item = await storage.read(tasksKey(companyId, id, tasksVersion));
  return item && unpackRuns(TasksRecord.parse(item.data).taskRuns);
}

function unpackRuns(packed: PackedText): TaskRuns {
  return TaskRuns.parse(JSON.parse(unpackText(packed)));
}

/** Returns the number of segments of each task, in the order of the tasks. */
export function tasksIn(runs: TaskRuns): Map<string, number> {
  const tasks = new Map<string, number>();
  for (const [task, count] of runs) if (typeof task === 'string') tasks.set(task, (tasks.get(task) ?? 0) + count);
  return tasks;
}

/** Yields the slots of some tasks in ascending order, from a slot on. */
export function* slotsOf(
  runs: TaskRuns,
  isWanted: (task: TaskRuns[number][0]) => boolean,
  from = 0,
): Generator<number, void> {
  let end = 0;
  for (const [task, count] of runs) {
    const start = end;
    end += count;
    if (!isWanted(task)) continue;
    for (let slot = Math.max(start, from); slot < end; slot++) yield slot;
  }
}

/** A sum over slots: in all, and for each task in the order of the tasks. */
export interface TaskSums {
  readonly total: number;
  readonly byTask: readonly number[];
}

/** Adds up the numbers of slots. @param numbers a number for each slot, in ascending order of the slots */
export function sumByTask(runs: TaskRuns, numbers: Iterable<readonly [slot: number, number: number]>): TaskSums {
  const sums = new Map<unknown, number>(Array.from(tasksIn(runs).keys(), (task) => [task, 0]));
  let [run, end, total] = [-1, 0, 0];
  for (const [slot, number] of numbers) {
    while (slot >= end && run < runs.length) end += runs[++run]?.[1] ?? 0;
    const task = runs[run]?.[0];
    const sum = sums.get(task);
    if (sum !== undefined) sums.set(task, sum + number);
    total += number;
  }
  return { total, byTask: [...sums.values()] };
}
