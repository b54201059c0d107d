import { isSameCode } from '../contract/languages.ts';
import { type ByteText, jsonText } from '../service/byte-text.ts';
import { type CallContext, failures, type ProjectRef, type SegmentsPage, type SegmentsQuery } from '../service/port.ts';
import { type PageBatch, segmentsPage } from '../service/segments-page.ts';
import { ProjectChanged, readConsistently, requireTaskRuns, requireUnchanged } from './consistent-read.ts';
import type { HostedDeps } from './deps.ts';
import type { StoredProject } from './read-projects.ts';
import type { ChunkContents } from './work/chunk-item.ts';
import { firstIdOfChunk, readSegmentTexts, translationId } from './work/project-parts.ts';
import { REMOVED, slotsOf } from './work/segment-tasks.ts';
import { type ChunkView, openView, startsOf, type TranslationView } from './work/translation-view.ts';
import { codeOf, type LanguageWork } from './work/work-record.ts';

/** A language of a project with its index. */
interface SelectedLanguage {
  readonly index: number;
  readonly language: LanguageWork;
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
  return readConsistently(deps, ref, call, async (project) => {
    const { companyId } = call;
    const { taskId, status, after } = query;
    const { id, record, work } = project;
    const revision = revisionOf(project);
    const languages = selectLanguages(project, query.languageCode);
    if (after && after.revision !== revision) throw failures.pageOutdated();
    const runs = await requireTaskRuns(deps, companyId, project, taskId);
    const isShown = (task: unknown) => (taskId === undefined ? task !== REMOVED : task === taskId);
    const slots = slotsOf(runs, isShown, after?.position);
    const view = await openView(deps.storage, { companyId, id, slots: record.payload.slots }, work);
    const page = await segmentsPage(batchesOf(deps, project, { view, languages, status, slots }), query, revision);
    await requireUnchanged(deps, companyId, project);
    return page;
  });
}

/**
 * Returns a text that names the state of a project. It includes the id, because the custom id may belong to another
 * project now.
 */
function revisionOf({ id, version, work }: StoredProject): string {
  return [id, version, work.revision].map((number) => number.toString(36)).join('-');
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
  /** The slots of the selected segments, from the start of the page on. */
  readonly slots: Iterator<number, void>;
}

async function* batchesOf(
  { storage }: HostedDeps,
  project: StoredProject,
  { view, languages, status, slots }: Selection,
): AsyncGenerator<PageBatch> {
  const counts = project.record.payload.slots;
  const starts = startsOf(counts);
  // A page of one status looks into all chunks. Otherwise only the chunks of the page are read.
  const all = status === undefined ? undefined : await Promise.all(languages.map(({ index }) => view.language(index)));
  let next = slots.next();
  for (const [chunk, count] of counts.entries()) {
    const start = starts[chunk] ?? 0;
    const shown: number[] = [];
    for (; !next.done && next.value < start + count; next = slots.next()) shown.push(next.value - start);
    const offsets = all ? shown.filter((offset) => all.some((each) => each[chunk]?.status(offset) === status)) : shown;
    if (offsets.length === 0) continue;
    const views = () =>
      all?.flatMap((each) => each[chunk] ?? []) ??
      Promise.all(languages.map(({ index }) => view.wholeAt({ language: index, chunk })));
    yield {
      positions: offsets.map((offset) => start + offset),
      load: async () => readEntries(storage, project, { chunk, offsets, languages, status, views: await views() }),
    };
  }
}

/** The segments of one chunk that a page shows. */
interface ShownChunk extends Pick<Selection, 'languages' | 'status'> {
  readonly chunk: number;
  /** The offsets of the segments in the chunk. */
  readonly offsets: readonly number[];
  /** The view of the chunk in each language. */
  readonly views: readonly ChunkView[];
}

/**
 * Reads the JSON of a chunk's entries. Segments and contents are stored as JSON, so that nothing has to be parsed.
 * @throws {ProjectChanged}
 */
async function readEntries(
  storage: HostedDeps['storage'],
  project: StoredProject,
  { chunk, offsets, languages, status, views }: ShownChunk,
): Promise<ByteText[]> {
  const { record } = project;
  const [sources, ...contents] = await Promise.all([
    readSegmentTexts(storage, project, chunk),
    ...views.map((view) => view.contents()),
  ]);
  const first = firstIdOfChunk(record, chunk);
  const writers = languages.map(({ index, language }, n) => {
    const [view, texts] = [views[n], contents[n]];
    if (!view || !texts) throw new ProjectChanged();
    return { view, write: translationWriter(language, view, texts, translationId(record, index, first)) };
  });
  return offsets.map((offset) => {
    const source = sources?.[offset];
    if (source === undefined) throw new ProjectChanged();
    let translations = '';
    for (const { view, write } of writers) {
      if (status !== undefined && view.status(offset) !== status) continue;
      translations += (translations && ',') + write(offset);
    }
    return `{"source":${source},"translations":[${translations}]}`;
  });
}

/**
 * Makes a function that writes the JSON of a translation.
 * @param texts the contents of the chunk
 * @param firstId the id of the translation in the first slot of the chunk
 */
function translationWriter(
  { languageId, code }: LanguageWork,
  view: ChunkView,
  texts: ChunkContents,
  firstId: number,
): (offset: number) => ByteText {
  const names = `,"languageId":${languageId},"languageCode":${jsonText(code)},"content":`;
  let end = { status: '', version: -1, problem: '' as string | null, text: '' };

  /** Writes the fields after the content. They are mostly the same as those of the translation before. */
  function endAt(offset: number): ByteText {
    const [status, version, problem] = [view.status(offset), view.version(offset), view.problem(offset)];
    if (status !== end.status || version !== end.version || problem !== end.problem) {
      const added = problem === null ? '' : `,"problem":${jsonText(problem)}`;
      end = { status, version, problem, text: `,"status":"${status}","version":${version}${added}}` };
    }
    return end.text;
  }

  return (offset) => {
    const content = texts[offset];
    return `{"id":${content ? firstId + offset : null}${names}${content || null}${endAt(offset)}`;
  };
}
