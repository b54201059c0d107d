import * as z from 'zod/mini';
import type { Project } from '../../contract/project-answer.ts';
import { PackedText, packText, unpackText } from '../../idempotency/project-item.ts';
import { encodeText } from '../../service/encoded-text.ts';
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
  /** Absent if the runs are too large for the item. */
  taskRuns: z.optional(z.union([TaskRuns, PackedText])),
};
export type TaskFields = z.infer<z.ZodMiniObject<typeof TASK_FIELDS>>;

/** The maximum length of runs that are stored as they are, in UTF-16 code units of JSON. */
const MAX_PLAIN_LENGTH = 512;

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

/** Makes the fields of a project's item that describe its tasks. */
export async function taskFields(runs: TaskRuns): Promise<TaskFields> {
  const json = JSON.stringify(runs);
  const taskRuns = json.length <= MAX_PLAIN_LENGTH ? runs : packText(await encodeText(json));
  return { tasks: tasksIn(runs).size, ...(taskRuns && { taskRuns }) };
}

/** Reads the task runs from the field of an item; `undefined` if they were too large for the item. */
export function unpackTaskRuns(packed: TaskRuns | PackedText | undefined): TaskRuns | undefined {
  return packed === undefined || Array.isArray(packed) ? packed : TaskRuns.parse(JSON.parse(unpackText(packed)));
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
