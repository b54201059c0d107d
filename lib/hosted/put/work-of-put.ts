import { nextTurn } from '../../service/turn.ts';
import type { Layout } from '../layout.ts';
import type { StoredProject } from '../read-projects.ts';
import { finalByTask, withFinal } from '../work/final-counts.ts';
import { sumByTask, type TaskRuns, tasksIn } from '../work/segment-tasks.ts';
import type { TranslationView } from '../work/translation-view.ts';
import type { WorkEvent } from '../work/work-change.ts';
import { codeOf, isFinal, type LanguageWork, newLanguage, type WorkRecord } from '../work/work-record.ts';
import type { PutChange } from './put-change.ts';

/** What a put starts from. */
interface Before {
  readonly project: StoredProject;
  readonly runs: TaskRuns;
  /** Opens the view of the translations before the put. It is opened only if statuses have to be counted. */
  readonly openView: () => Promise<TranslationView>;
}

/**
 * Makes the work record of a project after a put, and the events of its languages. Reads the statuses of a language only if
 * some of its segments are final, and some are not.
 * @param layout the layout after the put
 */
export async function workAfterPut(
  { project, runs, openView }: Before,
  change: PutChange,
  layout: Layout,
): Promise<{ readonly work: WorkRecord; readonly events: readonly WorkEvent[] }> {
  const { work: before, isAsCreated } = project;
  const { head, counts, order } = change;
  const known = new Map(before.languages.map((language) => [language.languageId, language]));
  const { removed, changed, added } = counts.segments;
  const bare = { ...before, segments: order.length };
  const languages: LanguageWork[] = [];
  const events: WorkEvent[] = [];
  for (const entry of head.targetLanguages) {
    const old = known.get(entry.targetLanguageId);
    const fresh = newLanguage(entry);
    if (!old) {
      languages.push({ ...fresh, since: layout.edition });
      continue;
    }
    const { automatic: oldAutomatic, assignment: oldAssignment, ...kept } = old;
    const isNew = changed + added > 0 || !oldAutomatic;
    const automatic = isNew ? fresh.automatic : fresh.automatic && oldAutomatic;
    const assignment = fresh.assignment && (oldAssignment ?? fresh.assignment);
    const { code, finalFrom } = fresh;
    // The work may have changed since the put was compared with the project.
    const state = change.states.get(old.languageId) ?? old.state;
    const next: LanguageWork = {
      ...kept,
      ...{ code, state, finalFrom },
      ...(automatic && { automatic }),
      ...(assignment && { assignment }),
    };
    languages.push(withFinal(bare, next, await finalsOf({ project, runs, openView }, change, old, next)));
    if (state !== old.state) {
      const { languageId } = old;
      events.push({ type: 'language.state-changed', data: { languageId, languageCode: codeOf(languageId), state } });
    }
    // There may be 150 languages with 50,000 segments each. Other requests run before the next one.
    await nextTurn();
  }
  const isStale = !isAsCreated && removed + changed + counts.targetLanguages.removed > 0;
  const { eventUrl: _, ...others } = bare;
  const work = {
    ...others,
    ...(head.eventUrl !== undefined && { eventUrl: head.eventUrl }),
    languages,
    hasStale: before.hasStale || isStale,
  };
  return { work, events };
}

/** Counts the final segments of a language after a put: all that were final before, and that keep their content. */
async function finalsOf(
  { project: { work }, runs, openView }: Before,
  { removed, changed, keepsTasks, tasks }: PutChange,
  before: LanguageWork,
  after: LanguageWork,
): Promise<{ readonly total: number; readonly byTask: readonly number[] | undefined }> {
  const lost = [...removed, ...changed].sort((one, other) => one - other);
  const isSameRule = before.finalFrom === after.finalFrom;
  const isAll = before.final === work.segments;
  if (isSameRule && (before.final === 0 || lost.length === 0 || isAll)) {
    const total = isAll ? before.final - lost.length : before.final;
    const isSame = lost.length === 0 && keepsTasks && isSameTasks(runs, tasks);
    return { total, byTask: isSame ? before.finalByTask : undefined };
  }
  const view = await openView();
  if (!isSameRule) {
    const statuses = await view.statuses(before.languageId);
    const gone = new Set(lost);
    let total = 0;
    for (let position = 0; position < statuses.length; position++) {
      if (!gone.has(position) && isFinal(after, statuses[position] ?? '')) total++;
    }
    return { total, byTask: undefined };
  }
  const statuses = await view.statuses(before.languageId, view.chunksOf(lost));
  const numbers = lost.map((position) => [position, isFinal(before, statuses[position] ?? '') ? 1 : 0] as const);
  const total = before.final - numbers.reduce((sum, [, number]) => sum + number, 0);
  const byTask = keepsTasks && isSameTasks(runs, tasks) ? finalByTask(work, before, runs) : undefined;
  const lostByTask = sumByTask(runs, numbers);
  const names = [...tasksIn(runs).keys()];
  return { total, byTask: byTask?.map((count, index) => count - (lostByTask.get(names[index]) ?? 0)) };
}

function isSameTasks(before: TaskRuns, after: TaskRuns): boolean {
  const [one, other] = [before, after].map((runs) => JSON.stringify([...tasksIn(runs).keys()]));
  return one === other;
}
