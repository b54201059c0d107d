import { isSameCode } from '../contract/languages.ts';
import { LIMITS } from '../contract/limits.ts';
import type {
  LanguageProgress,
  ProgressAnswer,
  TranslatedSegment,
  TranslationAnswer,
} from '../contract/project-answer.ts';
import { retryRefused } from '../idempotency/commit.ts';
import { projectKey } from '../idempotency/project-item.ts';
import { type CallContext, failures, type ProjectRef, type SegmentsPage, type SegmentsQuery } from '../service/port.ts';
import { type PageBatch, segmentsPage } from '../service/segments-page.ts';
import type { HostedDeps } from './deps.ts';
import { readAssignees } from './people/read-assignees.ts';
import { findProject, type StoredProject } from './read-projects.ts';
import { firstIdOfChunk, readSegments as readChunk, readTaskRuns, translationId } from './work/project-parts.ts';
import { REMOVED, type TaskRuns, taskOfSlots } from './work/segment-tasks.ts';
import { type ChunkView, openView, startsOf, type TranslationView } from './work/translation-view.ts';
import { codeOf, isFinal, type LanguageWork, progressOf } from './work/work-record.ts';

/** A language of a project with its index. */
interface SelectedLanguage {
  readonly index: number;
  readonly language: LanguageWork;
}

/** The error of a reader whose project changed while it was read. */
class ProjectChanged extends Error {
  override readonly name = 'ProjectChanged';
}

/**
 * Reads segments of a project with their translations. Reads only the chunks that the page shows.
 * @throws {Problem} `project-not-found`, `task-not-found`, `page-outdated`; `invalid-parameter` if the project does not
 *   have the language
 */
export function readSegments(
  deps: HostedDeps,
  ref: ProjectRef,
  query: SegmentsQuery,
  call: CallContext,
): Promise<SegmentsPage> {
  return whileUnchanged(deps, ref, call, async (project) => {
    const { companyId } = call;
    const revision = revisionOf(project);
    const languages = selectLanguages(project, query.languageCode);
    if (query.after && query.after.revision !== revision) throw failures.pageOutdated();
    const tasks = taskOfSlots(await taskRuns(deps, companyId, project, query.taskId));
    const view = await openViewOf(deps, companyId, project);
    const isShown = (slot: number) =>
      query.taskId === undefined ? tasks[slot] !== REMOVED : tasks[slot] === query.taskId;
    const batches = batchesOf(deps, project, {
      view,
      languages,
      status: query.status,
      isShown,
      first: query.after?.position ?? 0,
    });
    return segmentsPage(batches, query, revision);
  });
}

/**
 * Reads the progress of a project, or of one task of it. Reads no contents.
 * @throws {Problem} `project-not-found`, `task-not-found`; `not-acceptable` if there are too many entries
 */
export function readProgress(
  deps: HostedDeps,
  ref: ProjectRef,
  taskId: string | undefined,
  call: CallContext,
): Promise<ProgressAnswer> {
  return whileUnchanged(deps, ref, call, async (project) => {
    const { companyId } = call;
    const runs = await taskRuns(deps, companyId, project, taskId);
    const { languages, segments } = project.work;
    const tasks = [...tasksIn(runs)].filter(([id]) => taskId === undefined || id === taskId);
    if (tasks.length * languages.length > LIMITS.progressEntries) throw failures.progressTooLarge();
    const view = await openViewOf(deps, companyId, project);
    const finals =
      tasks.length === 0
        ? []
        : await Promise.all(languages.map((language, index) => finalByTask(view, runs, language, index)));
    const shown = tasks.map(([id, total]) => {
      const counts = finals.map((final) => final.get(id) ?? 0);
      return { taskId: id, total: totalOf(counts, total), targetLanguages: progressList(languages, counts, total) };
    });
    const taskIds = new Set(taskId === undefined ? runs.map(([id]) => (id === REMOVED ? null : id)) : [taskId]);
    const assignees = await readAssignees(deps.storage, companyId, project, taskIds);
    if (!assignees) throw new ProjectChanged();
    const [task] = taskId === undefined ? [] : shown;
    if (task) return { total: task.total, tasks: shown, languages: task.targetLanguages, assignees };
    const counts = languages.map(({ final }) => final);
    return {
      total: totalOf(counts, segments),
      tasks: shown,
      languages: progressList(languages, counts, segments),
      assignees,
    };
  });
}

/**
 * Reads from a project, and repeats the reading if a task was deleted meanwhile. While translations are written, an
 * answer may show a later state of one segment than of another. But a page never follows a page of an earlier state.
 */
async function whileUnchanged<T>(
  deps: HostedDeps,
  ref: ProjectRef,
  call: CallContext,
  read: (project: StoredProject) => Promise<T>,
): Promise<T> {
  return retryRefused(call, async () => {
    const project = await findProject(deps, ref, call.companyId);
    try {
      const result = await read(project);
      const after = await deps.storage.read(projectKey(call.companyId, project.id));
      return after?.version === project.item.version ? result : undefined;
    } catch (error) {
      if (error instanceof ProjectChanged) return undefined;
      throw error;
    }
  });
}

/**
 * Returns a text that names the state of a project. It includes the id, because the custom id may belong to another
 * project now.
 */
function revisionOf({ id, item, work }: StoredProject): string {
  return [id, item.version, work.revision].map((number) => number.toString(36)).join('-');
}

function openViewOf(
  { storage }: HostedDeps,
  companyId: string,
  { id, record, work }: StoredProject,
): Promise<TranslationView> {
  return openView(storage, { companyId, id, slots: record.payload.slots }, work);
}

/** Reads the tasks of the slots. @throws {Problem} `task-not-found` if the project does not have the task */
async function taskRuns(
  { storage }: HostedDeps,
  companyId: string,
  project: StoredProject,
  taskId: string | undefined,
): Promise<TaskRuns> {
  const runs = await readTaskRuns(storage, companyId, project);
  if (!runs) throw new ProjectChanged();
  if (taskId !== undefined && !runs.some(([task]) => task === taskId)) throw failures.taskNotFound();
  return runs;
}

function selectLanguages({ work: { languages } }: StoredProject, code: string | undefined): SelectedLanguage[] {
  const selected = languages
    .map((language, index) => ({ index, language }))
    .filter(({ language }) => code === undefined || isSameCode(codeOf(language.languageId), code));
  if (selected.length === 0) throw failures.noTargetLanguage(languages.map((language) => language.code));
  return selected;
}

/** What a page shows. */
interface Selection {
  readonly view: TranslationView;
  readonly languages: readonly SelectedLanguage[];
  readonly status: SegmentsQuery['status'];
  /** Whether the segment in a slot is shown. */
  readonly isShown: (slot: number) => boolean;
  /** The first slot of the page. */
  readonly first: number;
}

async function* batchesOf(
  { storage }: HostedDeps,
  project: StoredProject,
  selection: Selection,
): AsyncGenerator<PageBatch> {
  const { view, languages, status, isShown, first } = selection;
  const { slots } = project.record.payload;
  const starts = startsOf(slots);
  // A page of one status looks into all chunks. Otherwise only the chunks of the page are read.
  const all = status === undefined ? undefined : await Promise.all(languages.map(({ index }) => view.language(index)));
  for (const [chunk, count] of slots.entries()) {
    const start = starts[chunk] ?? 0;
    const shown = Array.from({ length: count }, (_, offset) => offset).filter(
      (offset) => start + offset >= first && isShown(start + offset),
    );
    const offsets = all ? shown.filter((offset) => all.some((each) => each[chunk]?.status(offset) === status)) : shown;
    if (offsets.length === 0) continue;
    const views = () =>
      all?.flatMap((each) => each[chunk] ?? []) ??
      Promise.all(languages.map(({ index }) => view.at({ language: index, chunk })));
    yield {
      positions: offsets.map((offset) => start + offset),
      load: async () => loadEntries(storage, project, { chunk, offsets, languages, status }, await views()),
    };
  }
}

/** The segments of one chunk that a page shows. */
interface ShownChunk extends Pick<Selection, 'languages' | 'status'> {
  readonly chunk: number;
  /** The offsets of the segments in the chunk. */
  readonly offsets: readonly number[];
}

/** @param views the view of the chunk in each language */
async function loadEntries(
  storage: HostedDeps['storage'],
  project: StoredProject,
  { chunk, offsets, languages, status }: ShownChunk,
  views: readonly ChunkView[],
): Promise<TranslatedSegment[]> {
  const [segments, ...contents] = await Promise.all([
    readChunk(storage, project, chunk),
    ...views.map((view) => view.contents()),
  ]);
  if (!segments) throw new ProjectChanged();
  const first = firstIdOfChunk(project.record, chunk);
  const byOffset = new Map(segments.map((segment) => [segment.id - first, segment]));
  return offsets.map((offset) => {
    const source = byOffset.get(offset);
    if (!source) throw new ProjectChanged();
    const translations = languages.flatMap(({ index, language }, n) => {
      const [view, texts] = [views[n], contents[n]];
      if (!view || !texts) throw new ProjectChanged();
      if (status !== undefined && view.status(offset) !== status) return [];
      const id = translationId(project.record, index, source.id);
      return translationAnswer(language, id, view, offset, texts.get(offset) ?? null);
    });
    return { source, translations };
  });
}

function translationAnswer(
  { languageId, code: languageCode }: LanguageWork,
  id: number,
  view: ChunkView,
  offset: number,
  content: string | null,
): TranslationAnswer {
  const status = view.status(offset);
  const problem = view.problem(offset);
  return {
    id: content === null ? null : id,
    languageId,
    languageCode,
    content,
    status,
    version: view.version(offset),
    ...(problem !== null && { problem }),
  };
}

/** Returns the number of segments of each task. */
function tasksIn(runs: TaskRuns): Map<string, number> {
  const tasks = new Map<string, number>();
  for (const [task, count] of runs) if (typeof task === 'string') tasks.set(task, (tasks.get(task) ?? 0) + count);
  return tasks;
}

/** Counts the final segments of each task in a language. */
async function finalByTask(
  view: TranslationView,
  runs: TaskRuns,
  language: LanguageWork,
  index: number,
): Promise<Map<string, number>> {
  const finals = new Map<string, number>();
  if (language.final === 0) return finals;
  const statuses = (await view.language(index)).map((chunk) => chunk.statuses).join('');
  let start = 0;
  for (const [task, count] of runs) {
    if (typeof task === 'string') {
      const final = [...statuses.slice(start, start + count)].filter((character) =>
        isFinal(language, character),
      ).length;
      finals.set(task, (finals.get(task) ?? 0) + final);
    }
    start += count;
  }
  return finals;
}

function totalOf(finals: readonly number[], segments: number): number {
  return progressOf(
    finals.reduce((sum, final) => sum + final, 0),
    segments * finals.length,
  );
}

function progressList(
  languages: readonly LanguageWork[],
  finals: readonly number[],
  segments: number,
): LanguageProgress[] {
  return languages.map(({ languageId, code: languageCode }, index) => ({
    languageId,
    languageCode,
    progress: progressOf(finals[index] ?? 0, segments),
  }));
}
