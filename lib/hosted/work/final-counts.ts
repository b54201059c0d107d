import { nextTurn } from '../../service/turn.ts';
import { positionsOf, sumByTask, type TaskRuns, tasksIn } from './segment-tasks.ts';
import { characterOf } from './status-text.ts';
import type { TranslationView } from './translation-view.ts';
import type { LanguageWork, WorkRecord } from './work-record.ts';

/** The maximum number of tasks times languages for which a work record has `finalByTask`. Each count needs some bytes. */
const MAX_COUNTS = 1_000;

type Counted = Pick<WorkRecord, 'segments' | 'languages'>;

/**
 * Returns the number of final segments of each task in a language, in the order of the tasks; `undefined` if the work
 * record does not count them.
 */
export function finalByTask(
  { segments }: Pick<WorkRecord, 'segments'>,
  { final, finalByTask }: LanguageWork,
  runs: TaskRuns,
): readonly number[] | undefined {
  if (final > 0 && final < segments) return finalByTask;
  return Array.from(tasksIn(runs).values(), (total) => (final > 0 ? total : 0));
}

/** Returns the number of final segments of one task in a language; `undefined` if the work record does not count them. */
export function finalOfTask(
  { segments }: Pick<WorkRecord, 'segments'>,
  { final, finalByTask }: LanguageWork,
  { index, total }: { readonly index: number; readonly total: number },
): number | undefined {
  if (final > 0 && final < segments) return finalByTask?.[index];
  return final > 0 ? total : 0;
}

/**
 * Adds to the numbers of final segments of a language.
 * @param runs `undefined` if nothing is counted by task
 * @param numbers how many final segments each position gains (1, 0 or -1), in ascending order
 */
export function addFinal(
  work: Counted,
  language: LanguageWork,
  runs: TaskRuns | undefined,
  numbers: Iterable<readonly [position: number, number: number]>,
): LanguageWork {
  const gained = sumByTask(runs ?? [], numbers);
  const total = language.final + [...gained.values()].reduce((sum, count) => sum + count, 0);
  const before = runs && isCountable(work, tasksIn(runs).size) ? finalByTask(work, language, runs) : undefined;
  const tasks = before && runs ? [...tasksIn(runs).keys()] : [];
  return withFinal(work, language, {
    total,
    byTask: before?.map((count, index) => count + (gained.get(tasks[index]) ?? 0)),
  });
}

/** Whether a work record counts the final segments of a number of tasks. */
export function isCountable({ languages }: Counted, tasks: number): boolean {
  return tasks * languages.length <= MAX_COUNTS;
}

/** Sets the numbers of final segments of a language. The number by task is kept only where it is needed. */
export function withFinal(
  work: Counted,
  { finalByTask: _, ...language }: LanguageWork,
  { total: final, byTask }: { readonly total: number; readonly byTask: readonly number[] | undefined },
): LanguageWork {
  const { segments } = work;
  const isPartial = final > 0 && final < segments;
  return {
    ...language,
    final,
    ...(isPartial && byTask && isCountable(work, byTask.length) && { finalByTask: [...byTask] }),
    isCompleted: segments > 0 ? final === segments : language.isCompleted,
  };
}

/**
 * Makes a function that counts the final segments of each task of a language in its chunks, in the order of the tasks.
 * @param taskId the only task to count; by default all tasks
 */
export function finalCounter(
  view: TranslationView,
  runs: TaskRuns,
  taskId?: string,
): (language: LanguageWork) => Promise<readonly number[]> {
  const counted = [...positionsOf(runs, (task) => (taskId === undefined ? task !== null : task === taskId))];
  const tasks = taskIndexes(runs, counted);
  const chunks = taskId === undefined ? undefined : view.chunksOf(counted);
  return async (language) => {
    const finals = new Array<number>(tasksIn(runs).size).fill(0);
    if (language.final === 0) return finals;
    const statuses = await view.statuses(language.languageId, chunks);
    // The digit of a higher status is higher. The character of a failed slot is no digit.
    const [from, to] = [characterOf(language.finalFrom).charCodeAt(0), characterOf('proofread').charCodeAt(0)];
    // This loop has an iteration for each segment and language.
    for (let n = 0; n < counted.length; n++) {
      const code = statuses.charCodeAt(counted[n] ?? 0);
      if (code < from || code > to) continue;
      const task = tasks[n] ?? 0;
      finals[task] = (finals[task] ?? 0) + 1;
    }
    // There may be 150 languages with 50,000 segments each. Other requests run before the next one.
    await nextTurn();
    return finals;
  };
}

/** Returns the index of the task of each position. @param positions in ascending order, each with a task */
function taskIndexes(runs: TaskRuns, positions: readonly number[]): number[] {
  const indexes = new Map<unknown, number>(Array.from(tasksIn(runs).keys(), (task, index) => [task, index]));
  let [run, end] = [-1, 0];
  return positions.map((position) => {
    while (position >= end && run < runs.length) end += runs[++run]?.[1] ?? 0;
    return indexes.get(runs[run]?.[0]) ?? 0;
  });
}
