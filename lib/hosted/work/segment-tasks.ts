import * as z from 'zod/mini';
import type { Project } from '../../contract/project-answer.ts';
import { PackedText, packText, unpackText } from '../../idempotency/project-item.ts';
import { encodeText } from '../../service/encoded-text.ts';

/**
 * The tasks of the slots of a project, as runs: each run has a task id and the number of its slots, in the order of the
 * slots. A task id is null for segments without a task, and `REMOVED` for the empty slots of deleted tasks. The task of
 * the project itself comes first, in a run that may have no slots.
 */
const TaskRuns = z.array(z.tuple([z.union([z.string(), z.null(), z.literal(0)]), z.int()]));
export type TaskRuns = z.infer<typeof TaskRuns>;

/** The task id of an empty slot. */
export const REMOVED = 0;

/** The field of a project's item that contains the task runs. It is absent if they are too large for the item. */
export const TASK_FIELDS = { taskRuns: z.optional(z.union([TaskRuns, PackedText])) };

/** The maximum length of runs that are stored as they are, in UTF-16 code units of JSON. */
const MAX_PLAIN_LENGTH = 512;

/**
 * Returns the task runs of a project.
 * @param firstId the id of the segment in the first slot
 * @param slots the number of slots
 */
export function taskRunsOf({ taskId: own, segments }: Project, firstId: number, slots: number): TaskRuns {
  const runs: TaskRuns = own === undefined ? [] : [[own, 0]];
  let next = firstId;
  for (const { id, taskId } of segments) {
    if (id > next) addSlots(runs, REMOVED, id - next);
    addSlots(runs, taskId ?? own ?? null, 1);
    next = id + 1;
  }
  if (next < firstId + slots) addSlots(runs, REMOVED, firstId + slots - next);
  return runs;
}

function addSlots(runs: TaskRuns, task: TaskRuns[number][0], count: number): void {
  const last = runs.at(-1);
  if (last?.[0] === task) last[1] += count;
  else runs.push([task, count]);
}

/** Makes the item field that contains task runs. */
export async function packTaskRuns(runs: TaskRuns): Promise<{ readonly taskRuns?: TaskRuns | PackedText }> {
  const json = JSON.stringify(runs);
  const taskRuns = json.length <= MAX_PLAIN_LENGTH ? runs : packText(await encodeText(json));
  return taskRuns ? { taskRuns } : {};
}

/** Reads the task runs from the field of an item; `undefined` if they were too large for the item. */
export function unpackTaskRuns(packed: TaskRuns | PackedText | undefined): TaskRuns | undefined {
  return packed === undefined || Array.isArray(packed) ? packed : TaskRuns.parse(JSON.parse(unpackText(packed)));
}

/** Returns the task of each slot. */
export function taskOfSlots(runs: TaskRuns): TaskRuns[number][0][] {
  return runs.flatMap(([task, count]) => Array.from({ length: count }, () => task));
}
