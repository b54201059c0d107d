import * as failures from '../contract/failures.ts';
import { isSameCode } from '../contract/languages.ts';
import { lazy } from '../contract/lazy.ts';
import { type ByteText, jsonText } from '../service/byte-text.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { CallContext, ProjectRef, SegmentsPage, SegmentsQuery } from '../service/port.ts';
import { type PageBatch, segmentsPage } from '../service/segments-page.ts';
import { nextTurn } from '../service/turn.ts';
import { ProjectChanged, readConsistently, requireTaskRuns, requireUnchanged, requireView } from './consistent-read.ts';
import type { HostedDeps } from './deps.ts';
import type { Layout } from './layout.ts';
import { countsIn } from './project-payload.ts';
import type { StoredProject } from './read-projects.ts';
import type { BlockContents } from './work/chunk-item.ts';
import { startsOf, type Translations } from './work/chunk-view.ts';
import { readSegmentTexts, translationId } from './work/project-parts.ts';
import { positionsOf } from './work/segment-tasks.ts';
import { charactersOf, hasContent, statusOf } from './work/status-text.ts';
import { offsetsByPart, type TranslationView } from './work/translation-view.ts';
import { codeOf, type LanguageWork } from './work/work-record.ts';

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
    const { record } = project;
    const revision = revisionOf(project);
    const languages = selectLanguages(project, query.languageCode);
    if (after && after.revision !== revision) throw failures.pageOutdated();
    const runs = await requireTaskRuns(deps, project, taskId);
    const all = positionsOf(runs, (task) => taskId === undefined || task === taskId, after?.position);
    // The segment after the page tells whether there is another page.
    const positions = query.limit === undefined || status !== undefined ? all : all.take(query.limit + 1);
    const view = await requireView(deps, companyId, project);
    const views = status === undefined ? undefined : await viewsOf(view, languages);
    const lengths = languages.map((language) => LEAST_TRANSLATION + namesOf(language).length);
    const parts = Array.from(offsetsByPart(countsIn(record.payload), positions), ([part, offsets]) => {
      const statuses = views?.map((each) => each[part]?.statuses ?? '');
      return { part, ...matching(offsets, lengths, statuses, status) };
    }).filter(({ offsets }) => offsets.length > 0);
    const least = parts.reduce((sum, part) => sum + part.leastBytes, '[]'.length);
    // The work for such an answer would be in vain.
    if (query.whole && least > query.maxBytes) return emptyPage(revision);
    const page = await segmentsPage(
      batchesOf(deps, project, { view, views, languages, status, parts }),
      query,
      revision,
    );
    await requireUnchanged(deps, companyId, project);
    return page;
  });
}

/** Reads all translations of languages. Other requests run between two languages. */
async function viewsOf(view: TranslationView, languages: readonly LanguageWork[]) {
  const views: (readonly Translations[])[] = [];
  for (const { languageId } of languages) {
    views.push(await view.language(languageId));
    await nextTurn();
  }
  return views;
}

/** The selected segments of a chunk of segments. */
interface SelectedPart {
  /** The index of the chunk of segments. */
  readonly part: number;
  /** The offsets of the segments in it. */
  readonly offsets: readonly number[];
  /** The least number of bytes that the JSON of the segments can have. */
  readonly leastBytes: number;
}

/** The least JSON of a segment and of a translation, except what depends on the language. */
const LEAST_SEGMENT = '{"source":{"id":1,"content":"x"},"translations":[]},'.length;
const LEAST_TRANSLATION = '{"id":1,"content":"x","status":"draft","version":0},'.length;

/**
 * Selects segments of a chunk by the status of their translations.
 * @param lengths the least length of a translation, in each language
 * @param statuses of the chunk, in each language
 */
function matching(
  offsets: readonly number[],
  lengths: readonly number[],
  statuses: readonly string[] | undefined,
  status: SegmentsQuery['status'],
): Omit<SelectedPart, 'part'> {
  if (!statuses) {
    const each = lengths.reduce((sum, length) => sum + length, LEAST_SEGMENT);
    return { offsets, leastBytes: offsets.length * each };
  }
  const characters = charactersOf(status);
  const bytes = new Map<number, number>();
  for (const [n, text] of statuses.entries()) {
    if (!characters.some((character) => text.includes(character))) continue;
    const length = lengths[n] ?? 0;
    for (const offset of offsets) {
      if (!characters.includes(text[offset] ?? '')) continue;
      bytes.set(offset, (bytes.get(offset) ?? LEAST_SEGMENT) + length);
    }
  }
  return {
    offsets: offsets.filter((offset) => bytes.has(offset)),
    leastBytes: [...bytes.values()].reduce((sum, each) => sum + each, 0),
  };
}

/** Returns a page without entries, although there are some. */
async function emptyPage(revision: string): Promise<SegmentsPage> {
  return { count: 0, json: await encodeText('[]'), next: { position: 0, revision } };
}

/**
 * Returns a text that names the state of a project. It includes the id, because the custom id may belong to another
 * project now.
 */
function revisionOf({ id, version, work }: StoredProject): string {
  return [id, version, work.revision].map((number) => number.toString(36)).join('-');
}

function selectLanguages({ work: { languages } }: StoredProject, code: string | undefined): LanguageWork[] {
  const selected = languages.filter(({ languageId }) => code === undefined || isSameCode(codeOf(languageId), code));
  if (selected.length === 0) throw failures.noTargetLanguage(languages.map((language) => language.code));
  return selected;
}

/** What a page shows. */
interface Selection extends Pick<SegmentsQuery, 'status'> {
  readonly view: TranslationView;
  /** The translations of each language, if they were read to select by status. */
  readonly views: readonly (readonly Translations[])[] | undefined;
  readonly languages: readonly LanguageWork[];
  /** The selected segments, from the start of the page on. */
  readonly parts: readonly SelectedPart[];
}

function* batchesOf(
  { storage }: HostedDeps,
  project: StoredProject,
  { view, views, languages, status, parts }: Selection,
): Generator<PageBatch> {
  const starts = startsOf(countsIn(project.record.payload));
  for (const { part, offsets } of parts) {
    const start = starts[part] ?? 0;
    const ofPart = () =>
      views?.flatMap((each) => each[part] ?? []) ??
      Promise.all(languages.map(({ languageId }) => view.wholeAt({ languageId, part })));
    yield {
      positions: offsets.map((offset) => start + offset),
      load: async () =>
        openPart(storage, project, {
          part,
          start,
          offsets,
          languages,
          status,
          layout: view.layout,
          views: await ofPart(),
        }),
    };
  }
}

/** The segments of one chunk of segments that a page shows. */
interface ShownPart extends Pick<Selection, 'languages' | 'status'>, Pick<SelectedPart, 'part' | 'offsets'> {
  /** The position of its first segment. */
  readonly start: number;
  readonly layout: Layout;
  /** Its translations into each language. */
  readonly views: readonly Translations[];
}

/**
 * Reads the JSON of a part's entries. If the contents of a language are so many that they are in blocks, makes a batch
 * of each entry.
 * @throws {ProjectChanged}
 */
async function openPart(
  storage: HostedDeps['storage'],
  project: StoredProject,
  shown: ShownPart,
): Promise<Iterable<ByteText> | AsyncIterable<PageBatch>> {
  const { part, start, offsets, status, views } = shown;
  const isShown = ({ statuses }: Translations, some: readonly number[]) =>
    some.some(
      (offset) => hasContent(statuses[offset]) && (status === undefined || statusOf(statuses[offset]) === status),
    );
  const readers = views.map((view) => ({ view, read: lazy(() => view.openContents()) }));
  const contentsAt = async (some: readonly number[]) => {
    const contents: (BlockContents | undefined)[] = [];
    for (let from = 0; from < readers.length; from += VIEWS_IN_TURN) {
      if (from > 0) await nextTurn();
      const next = readers.slice(from, from + VIEWS_IN_TURN);
      contents.push(
        ...(await Promise.all(next.map(({ view, read }) => (isShown(view, some) ? read()(some) : NO_CONTENTS)))),
      );
    }
    return contents;
  };
  const inBlocks = views.filter((view) => isShown(view, offsets) && view.blocks.length > 0);
  // Other requests run between two chunks, each of which may have 150 languages.
  await nextTurn();
  const [sources, contents] = await Promise.all([
    readSegmentTexts(storage, project, part),
    inBlocks.length === 0 ? contentsAt(offsets) : undefined,
  ]);
  if (!sources) throw new ProjectChanged();
  if (contents) return entriesOf(shown, sources, contents);
  const lengths = inBlocks.map((view) => ({ view, ofOffset: ownLengths(view) }));
  return (async function* batches() {
    for (const offset of offsets) {
      await nextTurn();
      const long = lengths.filter(
        ({ view }) => !view.isEdited(offset) && (status === undefined || view.status(offset) === status),
      );
      yield {
        positions: [start + offset],
        leastBytes: long.reduce((sum, { ofOffset }) => sum + (ofOffset.get(offset) ?? 0), 0),
        load: async () => entriesOf({ ...shown, offsets: [offset] }, sources, await contentsAt([offset])),
      };
    }
  })();
}

/** How many languages of a chunk are read before other requests run. Each may have some hundred kilobytes to decode. */
const VIEWS_IN_TURN = 50;
const NO_CONTENTS: BlockContents = { from: 0, lines: [] };

/** Returns the lengths of the contents that have a block of their own, by their offsets. */
function ownLengths({ blocks }: Translations): ReadonlyMap<number, number> {
  return new Map(blocks.flatMap(({ from, to, length }) => (to - from === 1 ? [[from, length] as const] : [])));
}

/**
 * Writes the JSON of entries. Segments and contents are stored as JSON, so that nothing has to be parsed. The page may end
 * before the last entry.
 * @param sources the JSON of the segments of the chunk
 * @param contents the contents of the chunk in each language
 * @throws {ProjectChanged}
 */
function* entriesOf(
  { start, offsets, languages, status, layout, views }: ShownPart,
  sources: readonly ByteText[],
  contents: readonly (BlockContents | undefined)[],
): Generator<ByteText> {
  const writers = languages.map((language, n) => {
    const [view, texts] = [views[n], contents[n]];
    if (!view || !texts) throw new ProjectChanged();
    return { view, write: translationWriter(language, view, texts) };
  });
  for (const offset of offsets) {
    const source = sources[offset];
    if (source === undefined) throw new ProjectChanged();
    const { id } = layout.at(start + offset);
    let translations = '';
    for (const { view, write } of writers) {
      if (status !== undefined && view.status(offset) !== status) continue;
      translations += (translations && ',') + write(offset, id);
    }
    yield `{"source":${source},"translations":[${translations}]}`;
  }
}

/** Writes the fields of a translation that depend only on its language. */
function namesOf({ languageId, code }: LanguageWork): ByteText {
  return `,"languageId":${languageId},"languageCode":${jsonText(code)}`;
}

/**
 * Makes a function that writes the JSON of a translation.
 * @param contents those of the block that has the translation
 */
function translationWriter(
  language: LanguageWork,
  view: Translations,
  { from, lines }: BlockContents,
): (offset: number, segmentId: number) => ByteText {
  const names = `${namesOf(language)},"content":`;
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

  return (offset, segmentId) => {
    const content = lines[offset - from];
    const lost = content ? null : view.lost(offset);
    const added =
      (lost === null ? '' : `,"lost":${jsonText(lost)}`) + (view.isOutdated(offset) ? ',"outdated":true' : '');
    return `{"id":${content ? translationId(segmentId, language.languageId) : null}${names}${content || null}${added}${endAt(offset)}`;
  };
}
