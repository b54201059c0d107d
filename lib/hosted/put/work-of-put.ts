import { lazy } from '../../contract/lazy.ts';
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
  const { head, counts, size } = change;
  const known = new Map(before.languages.map((language) => [language.languageId, language]));
  const { removed, changed, added } = counts.segments;
  const bare = { ...before, segments: size };
  const lost = [...change.removed, ...change.changed].sort((one, other) => one - other);
  const view = lazy(openView);
  const chunks = lazy(async () => (await view()).chunksOf(lost));
  const keepsTasks = change.keepsTasks && isSameTasks(runs, change.tasks);
  const counted: Counted = { work: before, runs, lost, keepsTasks, view, chunks };
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
    languages.push(withFinal(bare, next, await finalsOf(counted, old, next)));
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

/** What all languages of a put have in common when their final segments are counted. */
interface Counted {
  readonly work: WorkRecord;
  readonly runs: TaskRuns;
  /** The positions before the put of the segments that lose their translations, in ascending order. */
  readonly lost: readonly number[];
  /** Whether the tasks, and the tasks of the segments that stay, are the same. */
  readonly keepsTasks: boolean;
  readonly view: () => Promise<TranslationView>;
  readonly chunks: () => Promise<ReadonlySet<number>>;
}

/** Counts the final segments of a language after a put: all that were final before, and that keep their content. */
async function finalsOf(
  { work, runs, lost, keepsTasks, view, chunks }: Counted,
  before: LanguageWork,
  after: LanguageWork,
): Promise<{ readonly total: number; readonly byTask: readonly number[] | undefined }> {
  const isSameRule = before.finalFrom === after.finalFrom;
  const isAll = before.final === work.segments;
  if (isSameRule && (before.final === 0 || lost.length === 0 || isAll)) {
    const total = isAll ? before.final - lost.length : before.final;
    return { total, byTask: lost.length === 0 && keepsTasks ? before.finalByTask : undefined };
  }
  if (!isSameRule) {
    const statuses = await (await view()).statuses(before.languageId);
    const gone = new Set(lost);
    let total = 0;
    for (let position = 0; position < statuses.length; position++) {
      if (!gone.has(position) && isFinal(after, statuses[position] ?? '')) total++;
    }
    return { total, byTask: undefined };
  }
  const statuses = await (await view()).statuses(before.languageId, await chunks());
  const gone = lost.filter((position) => isFinal(before, statuses[position] ?? ''));
  const byTask = keepsTasks ? finalByTask(work, before, runs) : undefined;
  const total = before.final - gone.length;
  if (!byTask) return { total, byTask };
  const goneByTask = sumByTask(
    runs,
    gone.map((position) => [position, 1] as const),
  );
  const names = [...tasksIn(runs).keys()];
  return { total, byTask: byTask.map((count, index) => count - (goneByTask.get(names[index]) ?? 0)) };
}

function isSameTasks(before: TaskRuns, after: TaskRuns): boolean {
  const [one, other] = [before, after].map((runs) => JSON.stringify([...tasksIn(runs).keys()]));
  return one === other;
}
