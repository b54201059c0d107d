import * as z from 'zod/mini';
import type { Project } from '../../contract/project-answer.ts';
import { PackedText, packText, unpackText } from '../../records/packed-text.ts';
import { type EncodedText, encodeText } from '../../service/encoded-text.ts';
import { firstSegmentId } from '../project-payload.ts';

/** A task id; null for segments without a task, and `REMOVED` for the empty slots of deleted tasks. */
const SlotTask = z.union([z.string(), z.null(), z.literal(0)]);
type SlotTask = z.infer<typeof SlotTask>;

/**
 * The tasks of the slots of a project, as runs: each run has a task and the number of its slots, in the order of the
 * slots. The task of the project itself comes first, in a run that may have no slots.
 */
export type TaskRuns = readonly (readonly [task: SlotTask, slots: number])[];

const PlainRuns = z.array(z.tuple([SlotTask, z.int()]));

/** The task id of an empty slot. */
export const REMOVED = 0;

/** The fields of a project's item that describe its tasks. */
export const TASK_FIELDS = {
  /** The number of tasks. */
  tasks: z.int(),
  /**
   * Short runs. Longer ones are in the payload, because lists read the items of all projects. Neither has them if no slot
   * ever had a task.
   */
  taskRuns: z.optional(z.union([PlainRuns, PackedText])),
};
export type TaskFields = z.infer<z.ZodMiniObject<typeof TASK_FIELDS>>;

/** The maximum length of runs that are stored as they are, in UTF-16 code units of JSON. */
const MAX_PLAIN_LENGTH = 512;
/** The maximum number of runs that are stored as they are. */
const MAX_PLAIN_RUNS = 64;
/** The maximum length of packed runs in the item of a project, in base64. Longer runs are in the payload. */
const MAX_OWN_LENGTH = 1_024;

/** Returns the task runs of a project. @param slots the number of slots in each chunk */
export function taskRunsOf(project: Project, slots: readonly number[]): TaskRuns {
  const { id: projectId, taskId: own, targetLanguages, segments } = project;
  const firstId = firstSegmentId({ id: projectId, targetLanguages: targetLanguages.length });
  const endId = firstId + slots.reduce((sum, count) => sum + count, 0);
  const runs: [SlotTask, number][] = own === undefined ? [] : [[own, 0]];
  let next = firstId;
  for (const { id, taskId } of segments) {
    if (id > next) addSlots(runs, REMOVED, id - next);
    addSlots(runs, taskId ?? own ?? null, 1);
    next = id + 1;
  }
  if (next < endId) addSlots(runs, REMOVED, endId - next);
  return runs;
}

function addSlots(runs: [SlotTask, number][], task: SlotTask, count: number): void {
  const last = runs.at(-1);
  if (last?.[0] === task) last[1] += count;
  else runs.push([task, count]);
}

/** Returns the runs after a task was deleted: its slots are empty. */
export function runsWithout(before: TaskRuns, taskId: string): TaskRuns {
  const runs: [SlotTask, number][] = [];
  for (const [task, count] of before) {
    if (task !== taskId) addSlots(runs, task, count);
    else if (count > 0) addSlots(runs, REMOVED, count);
  }
  return runs;
}

/** The tasks of a project in the form in which they are stored. */
export interface StoredTasks {
  /** The fields of the project's item. */
  readonly fields: TaskFields;
  /** The runs for the payload; absent if the item has them. */
  readonly text?: EncodedText;
}

/** Encodes the tasks of a project. */
export async function encodeTasks(runs: TaskRuns): Promise<StoredTasks> {
  const tasks = tasksIn(runs).size;
  if (runs.every(([task]) => task === null)) return { fields: { tasks } };
  if (runs.length <= MAX_PLAIN_RUNS && JSON.stringify(runs).length <= MAX_PLAIN_LENGTH) {
    return { fields: { tasks, taskRuns: runs.map(([task, count]) => [task, count]) } };
  }
  const text = await encodeText(compactText(runs));
  const taskRuns = packText(text, MAX_OWN_LENGTH);
  return taskRuns ? { fields: { tasks, taskRuns } } : { fields: { tasks }, text };
}

/** Writes runs as JSON that names each task once: the tasks, and for each run the index of its task and its slots. */
function compactText(runs: TaskRuns): string {
  const indexes = new Map<SlotTask, number>();
  const numbers: number[] = [];
  for (const [task, count] of runs) {
    const index = indexes.get(task) ?? indexes.size;
    indexes.set(task, index);
    numbers.push(index, count);
  }
  return JSON.stringify([[...indexes.keys()], numbers]);
}

/** Parses runs from the text of `encodeTasks`. */
export function runsIn(text: string): TaskRuns {
  const value: unknown = JSON.parse(text);
  if (!isCompact(value)) throw new TypeError('The runs of a project cannot be read');
  const [tasks, numbers] = value;
  return Array.from({ length: numbers.length / 2 }, (_, run): TaskRuns[number] => {
    const task = tasks[numbers[2 * run] ?? -1];
    if (task === undefined) throw new TypeError('A run of a project has no task');
    return [task, numbers[2 * run + 1] ?? 0];
  });
}

// A schema would need longer than JSON.parse.
function isCompact(value: unknown): value is [SlotTask[], number[]] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [tasks, numbers]: readonly unknown[] = value;
  return (
    Array.isArray(tasks) &&
    tasks.every((task) => typeof task === 'string' || task === null || task === REMOVED) &&
    Array.isArray(numbers) &&
    numbers.every((number) => Number.isSafeInteger(number))
  );
}

/** Makes the runs of slots that never had a task. */
export function runsWithoutTasks(slots: readonly number[]): TaskRuns {
  const count = slots.reduce((sum, some) => sum + some, 0);
  return count === 0 ? [] : [[null, count]];
}

/** Reads the task runs in a project's item; `undefined` if they are not there. */
export function ownRuns({ taskRuns }: Pick<TaskFields, 'taskRuns'>): TaskRuns | undefined {
  return taskRuns === undefined || Array.isArray(taskRuns) ? taskRuns : runsIn(unpackText(taskRuns));
}

/** Removes the fields of tasks from the fields of an item, so that those of other tasks can take their place. */
export function withoutTasks<T extends TaskFields>({ tasks: _, taskRuns: __, ...others }: T) {
  return others;
}

const counted = new WeakMap<TaskRuns, ReadonlyMap<string, number>>();

/** Returns the number of segments of each task, in the order of the tasks. Counts them once, because they may be many. */
export function tasksIn(runs: TaskRuns): ReadonlyMap<string, number> {
  const known = counted.get(runs);
  if (known) return known;
  const tasks = new Map<string, number>();
  for (const [task, count] of runs) if (typeof task === 'string') tasks.set(task, (tasks.get(task) ?? 0) + count);
  counted.set(runs, tasks);
  return tasks;
}

/** Yields the slots of some tasks in ascending order, from a slot on. */
export function* slotsOf(runs: TaskRuns, isWanted: (task: SlotTask) => boolean, from = 0): Generator<number, void> {
  let end = 0;
  for (const [task, count] of runs) {
    const start = end;
    end += count;
    if (!isWanted(task)) continue;
    for (let slot = Math.max(start, from); slot < end; slot++) yield slot;
  }
}

/** Adds up the numbers of slots by their tasks. @param numbers a number for each slot, in ascending order of the slots */
export function sumByTask(
  runs: TaskRuns,
  numbers: Iterable<readonly [slot: number, number: number]>,
): ReadonlyMap<SlotTask | undefined, number> {
  const sums = new Map<SlotTask | undefined, number>();
  let [run, end] = [-1, 0];
  for (const [slot, number] of numbers) {
    while (slot >= end && run < runs.length) end += runs[++run]?.[1] ?? 0;
    const task = runs[run]?.[0];
    sums.set(task, (sums.get(task) ?? 0) + number);
  }
  return sums;
}
