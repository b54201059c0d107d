import * as z from 'zod/mini';
import { PackedText, packText, unpackText } from '../../records/packed-text.ts';
import { type EncodedText, encodeText } from '../../service/encoded-text.ts';

/** The id of a task; null for the segments without a task. */
const TaskId = z.nullable(z.string());
export type TaskId = z.infer<typeof TaskId>;

/**
 * The tasks of the segments of a project, as runs: each run has a task and the number of its segments, in the order of
 * the project. The task of the project itself comes first, in a run that may have no segments.
 */
export type TaskRuns = readonly (readonly [task: TaskId, segments: number])[];

const PlainRuns = z.array(z.tuple([TaskId, z.int()]));

/** The fields of a project's item that describe its tasks. */
export const TASK_FIELDS = {
  /** The number of tasks. */
  tasks: z.int(),
  /**
   * Short runs. Longer ones are in the payload, because lists read the items of all projects. Neither has them if no
   * segment has a task.
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

/**
 * Returns the task runs of a project.
 * @param own the task of the project itself
 * @param segments in the order of the project
 */
export function taskRunsOf(
  own: string | undefined,
  segments: Iterable<{ readonly taskId?: string | undefined }>,
): TaskRuns {
  const runs: [TaskId, number][] = own === undefined ? [] : [[own, 0]];
  for (const { taskId } of segments) addSegments(runs, taskId ?? own ?? null, 1);
  return runs;
}

function addSegments(runs: [TaskId, number][], task: TaskId, count: number): void {
  const last = runs.at(-1);
  if (last?.[0] === task) last[1] += count;
  else runs.push([task, count]);
}

/** Returns the runs after a task was deleted. */
export function runsWithout(before: TaskRuns, taskId: string): TaskRuns {
  const runs: [TaskId, number][] = [];
  for (const [task, count] of before) if (task !== taskId) addSegments(runs, task, count);
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

/** Writes runs as JSON that names each task once: the tasks, and for each run the index of its task and its segments. */
function compactText(runs: TaskRuns): string {
  const indexes = new Map<TaskId, number>();
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
function isCompact(value: unknown): value is [TaskId[], number[]] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [tasks, numbers]: readonly unknown[] = value;
  return (
    Array.isArray(tasks) &&
    tasks.every((task) => typeof task === 'string' || task === null) &&
    Array.isArray(numbers) &&
    numbers.every((number) => Number.isSafeInteger(number))
  );
}

/** Makes the runs of segments without a task. */
export function runsWithoutTasks(count: number): TaskRuns {
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
  for (const [task, count] of runs) if (task !== null) tasks.set(task, (tasks.get(task) ?? 0) + count);
  counted.set(runs, tasks);
  return tasks;
}

/** Yields the positions of the segments of some tasks, from a position on. */
export function* positionsOf(runs: TaskRuns, isWanted: (task: TaskId) => boolean, from = 0): Generator<number, void> {
  let end = 0;
  for (const [task, count] of runs) {
    const start = end;
    end += count;
    if (!isWanted(task)) continue;
    for (let position = Math.max(start, from); position < end; position++) yield position;
  }
}

/** Adds up the numbers of segments by their tasks. @param numbers a number for each position, in ascending order */
export function sumByTask(
  runs: TaskRuns,
  numbers: Iterable<readonly [position: number, number: number]>,
): ReadonlyMap<TaskId | undefined, number> {
  const sums = new Map<TaskId | undefined, number>();
  let [run, end] = [-1, 0];
  for (const [position, number] of numbers) {
    while (position >= end && run < runs.length) end += runs[++run]?.[1] ?? 0;
    const task = runs[run]?.[0];
    sums.set(task, (sums.get(task) ?? 0) + number);
  }
  return sums;
}
