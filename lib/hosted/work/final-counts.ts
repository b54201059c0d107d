import { REMOVED, slotsOf, sumByTask, type TaskRuns, type TaskSums, tasksIn } from './segment-tasks.ts';
import type { TranslationView } from './translation-view.ts';
import { isFinal, type LanguageWork, type WorkRecord } from './work-record.ts';

/** The maximum number of tasks times languages for which a work record has `finalByTask`. Each count needs some bytes. */
const MAX_COUNTS = 1_000;

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

/**
 * Adds to the numbers of final segments of a language.
 * @param runs `undefined` if the item of the project has no room for them
 * @param numbers how many final segments each slot gains (1, 0 or -1), in ascending order of the slots
 */
export function addFinal(
  work: Pick<WorkRecord, 'segments' | 'languages'>,
  language: LanguageWork,
  runs: TaskRuns | undefined,
  numbers: Iterable<readonly [slot: number, number: number]>,
): LanguageWork {
  const { total, byTask } = sumByTask(runs ?? [], numbers);
  const before = runs && finalByTask(work, language, runs);
  const sums = { total: language.final + total, byTask: before?.map((count, task) => count + (byTask[task] ?? 0)) };
  return withFinal(work, language, sums);
}

/** Sets the numbers of final segments of a language. The number by task is kept only where it is needed. */
export function withFinal(
  { segments, languages }: Pick<WorkRecord, 'segments' | 'languages'>,
  { finalByTask: _, ...language }: LanguageWork,
  { total: final, byTask }: { readonly total: number; readonly byTask: readonly number[] | undefined },
): LanguageWork {
  const isPartial = final > 0 && final < segments;
  const isCounted = isPartial && byTask && byTask.length * languages.length <= MAX_COUNTS;
  return {
    ...language,
    final,
    ...(isCounted && { finalByTask: [...byTask] }),
    isCompleted: segments > 0 ? final === segments : language.isCompleted,
  };
}

/** Counts the final segments of a language in its chunks. @param index the index of the language in the project */
export async function countFinal(
  view: TranslationView,
  runs: TaskRuns,
  language: LanguageWork,
  index: number,
): Promise<TaskSums> {
  if (language.final === 0) return sumByTask(runs, []);
  const statuses = (await view.language(index)).map((chunk) => chunk.statuses).join('');
  const slots = slotsOf(runs, (task) => task !== REMOVED);
  const numbers = Array.from(slots, (slot) => [slot, isFinal(language, statuses[slot] ?? '') ? 1 : 0] as const);
  return sumByTask(runs, numbers);
}
