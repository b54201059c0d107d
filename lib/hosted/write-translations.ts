import * as z from 'zod/mini';
import { invalidTranslations, translationChanged, undeliverable } from '../contract/failures.ts';
import type { Fault } from '../contract/faults.ts';
import { translationFaults } from '../contract/translation-faults.ts';
import type { CheckedTranslation, WrittenTranslation } from '../contract/translations.ts';
import { commitWithResult, type ResultWrite, retryRefused } from '../idempotency/commit.ts';
import type { KeyedOperation, RecordedOperation } from '../idempotency/keyed-operation.ts';
import { parseText } from '../service/byte-text.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import { nextTurn } from '../service/turn.ts';
import { recordOf } from '../storage/record.ts';
import type { HostedDeps } from './deps.ts';
import type { Layout, SegmentPlace } from './layout.ts';
import { countsIn, type StoredSegment } from './project-payload.ts';
import { findProject, type StoredProject } from './read-projects.ts';
import { placeOf, startsOf, type Translations } from './work/chunk-view.ts';
import { blockAt } from './work/content-blocks.ts';
import { editWrite } from './work/edit-item.ts';
import { addFinal, isCountable } from './work/final-counts.ts';
import { foldEdit } from './work/fold-edits.ts';
import { addJob } from './work/jobs.ts';
import { readLayout, readSegments, readTaskRuns, translationId } from './work/project-parts.ts';
import type { TaskRuns } from './work/segment-tasks.ts';
import { characterOf, rankOf } from './work/status-text.ts';
import { offsetsByPart, openView, type TranslationView } from './work/translation-view.ts';
import { changeWork, holdOff } from './work/work-change.ts';
import { isFinal, type WorkRecord } from './work/work-record.ts';

const Content = z.string();

/** What is recorded of a request: the ids of the translations that it wrote, and the versions that it wrote. */
const Translated = recordOf(() => ({
  projectId: z.int(),
  translations: z.array(recordOf(() => ({ segmentId: z.int(), languageId: z.int(), version: z.int() }))),
}));
type Translated = z.infer<typeof Translated>;

interface TranslationsWrite {
  readonly ref: ProjectRef;
  readonly entries: readonly CheckedTranslation[];
}

/** What other requests need to know of a request that writes translations. */
export const RECORDED_TRANSLATION: RecordedOperation<Translated> = {
  name: 'translate',
  recorded: Translated,
  deleted: 'The project was deleted after the translations with this idempotency key were written.',
};

/** A request that writes translations, under its key. */
export const translation = (
  deps: HostedDeps,
): KeyedOperation<TranslationsWrite, Translated, readonly WrittenTranslation[]> => ({
  ...RECORDED_TRANSLATION,
  identity: (request) => request,
  another: 'other translations',
  replay: (written, call) => getTranslations(deps, written, call),
  shown: (translations) => ({ translations }),
});

/**
 * The number of edits from which a request folds the oldest itself, because the worker is late; and of the bytes of their
 * contents, because a reader needs all of them in memory.
 */
const MAX_EDITS = { count: 30, bytes: 4_194_304 };

/**
 * The maximum number of bytes of translations in the answer to a repeated request. Others may have changed them, so they
 * may be longer than those of the request.
 */
const MAX_SHOWN_BYTES = 16_777_216;

/** After how many refused attempts a request holds the worker off. */
const HOLD_AFTER = 3;

/** An entry of a request, with the translation that it names. */
interface FoundEntry {
  readonly entry: CheckedTranslation;
  readonly languageId: number;
  readonly segment: StoredSegment;
}

/** The entries of a request, and the layout of the project in which they were found. */
interface FoundEntries {
  readonly found: FoundEntry[];
  readonly layout: Layout;
}

/** An entry with the current state of its translation. */
interface CurrentEntry extends FoundEntry, SegmentPlace {
  readonly view: Translations;
  /** The offset of the translation in the view. */
  readonly offset: number;
}

/**
 * Writes translations in one commit. If another request has changed the project since it was read, the store refuses the
 * commit, and the entries are checked again.
 * @param resultWrite makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} `project-not-found`, `invalid-translations`, `translation-changed`
 */
export function writeTranslations(
  deps: HostedDeps,
  ref: ProjectRef,
  entries: readonly CheckedTranslation[],
  call: CallContext,
  resultWrite: ResultWrite<Translated> | undefined,
): Promise<readonly WrittenTranslation[]> {
  const { storage, now } = deps;
  const { companyId, deadline } = call;
  let attempts = 0;
  let last: (Partial<FoundEntries> & { readonly of: string }) | undefined;
  return retryRefused(call, async () => {
    const project = await findProject(deps, ref, companyId);
    const { id, record, work } = project;
    // An engine may change the work all the time. So segments are read again only if the project itself has changed.
    const of = `${id}/${project.version}`;
    if (last?.of !== of) last = { of, ...(await findEntries(deps, project, entries)) };
    const { found, layout } = last;
    if (!found || !layout) return undefined;
    attempts++;
    if (attempts >= HOLD_AFTER && (await holdOff(storage, companyId, project, now()))) return undefined;
    const view = await openView(storage, companyId, project, layout);
    const [oldest] = view.edits;
    const bytes = view.edits.reduce((sum, { length }) => sum + length, 0);
    if (oldest && (view.edits.length >= MAX_EDITS.count || bytes >= MAX_EDITS.bytes)) {
      await foldEdit(storage, companyId, project, view, oldest);
      return undefined;
    }
    const current = await atPlaces(project, view, found);
    requireVersions(current);
    requireStatuses(current);
    const edited = current.map(({ entry, languageId, slot, view: own, offset }) => ({
      languageId,
      slot,
      status: characterOf(entry.status),
      version: own.version(offset) + 1,
      content: entry.content,
    }));
    const isCounted = isCountable(work, record.tasks);
    const runs = isCounted ? await readTaskRuns(storage, project) : undefined;
    const change = await changeWork(deps, call, project, workAfter(work, runs, current));
    const writes = [
      ...change.writes,
      await editWrite(companyId, id, { number: work.edits.next, edition: layout.edition }, edited),
      addJob({ companyId, projectId: id, atMs: now() }, call),
    ];
    const written = current.map((each, index) => answerOf(project, each, edited[index]?.version ?? 0));
    const translations = written.map(({ segmentId, languageId, version }) => ({ segmentId, languageId, version }));
    const refused = await commitWithResult(storage, { writes, deadline }, resultWrite, { projectId: id, translations });
    return refused ? undefined : written;
  });
}

/**
 * Reads translations as they stand, without those whose segments were deleted.
 * @throws {Problem} `project-not-found`; `outcome-unknown` if they are too long for an answer
 */
function getTranslations(
  deps: HostedDeps,
  { projectId, translations }: Translated,
  call: CallContext,
): Promise<readonly WrittenTranslation[]> {
  return retryRefused(call, async () => {
    const { companyId } = call;
    const project = await findProject(deps, { id: projectId }, companyId);
    const layout = await readLayout(deps.storage, project);
    if (!layout) return undefined;
    const segments = await segmentsOf(deps, project, layout, new Set(translations.map(({ segmentId }) => segmentId)));
    if (!segments) return undefined;
    const view = await openView(deps.storage, companyId, project, layout);
    const found = translations.flatMap(({ segmentId, languageId }) => {
      const segment = segments.get(segmentId);
      const isPresent = project.work.languages.some((each) => each.languageId === languageId);
      return segment && isPresent ? [{ segment, languageId }] : [];
    });
    const current = await atPlaces(project, view, found);
    const shown = new Map<object, WrittenTranslation>();
    let bytes = 0;
    for (const entries of inOneBlock(current)) {
      const contents = await entries[0]?.view.openContents()(entries.map(({ offset }) => offset));
      for (const entry of entries) {
        const { segment, languageId, offset, view: own } = entry;
        const text = contents?.lines[offset - contents.from];
        if (!text) return undefined;
        bytes += text.length;
        if (bytes > MAX_SHOWN_BYTES) throw undeliverable();
        const content = Content.parse(parseText(text));
        const status = own.status(offset);
        const outdated = own.isOutdated(offset) && { outdated: true as const };
        const names = namesOf(project, languageId, segment);
        shown.set(entry, { ...names, content, status, version: own.version(offset), ...outdated });
      }
    }
    return current.flatMap((entry) => shown.get(entry) ?? []);
  });
}

/** Groups places by the block that has their contents, so that only one block is in memory at once. */
function inOneBlock<T extends { readonly view: Translations; readonly offset: number }>(places: readonly T[]): T[][] {
  return [...Map.groupBy(places, ({ view }) => view)].flatMap(([{ blocks }, ofView]) => [
    ...Map.groupBy(ofView, ({ offset }) => blockAt(blocks, offset)).values(),
  ]);
}

/**
 * Finds the segments and languages of entries.
 * @returns `undefined` if the project has changed since it was read
 * @throws {Problem} `invalid-translations`, with every entry whose segment or language is unknown, or that names the same
 *   translation as an earlier one
 */
async function findEntries(
  deps: HostedDeps,
  project: StoredProject,
  entries: readonly CheckedTranslation[],
): Promise<FoundEntries | undefined> {
  const layout = await readLayout(deps.storage, project);
  if (!layout) return undefined;
  const { languages } = project.work;
  const isCustom = entries.some(({ segmentId }) => segmentId === undefined);
  const ids = new Set(entries.flatMap(({ segmentId }) => segmentId ?? []));
  const segments = await segmentsOf(deps, project, layout, isCustom ? 'all' : ids);
  if (!segments) return undefined;
  const byCustomId = Map.groupBy(isCustom ? segments.values() : [], ({ customId }) => customId);
  const faults: Fault[] = [];
  const firsts = new Map<string, number>();
  const found = entries.flatMap((entry, index) => {
    const { segmentId, segmentCustomId, languageId } = entry;
    const named = segmentId === undefined ? (byCustomId.get(segmentCustomId) ?? []) : [segments.get(segmentId)];
    const [segment] = named;
    const isTarget = languages.some((each) => each.languageId === languageId);
    if (!segment) faults.push(translationFaults.unknownSegment(index, entry));
    if (named.length > 1) faults.push(translationFaults.ambiguousSegment(index));
    if (!isTarget)
      faults.push(
        translationFaults.unknownLanguage(
          index,
          languages.map(({ code }) => code),
        ),
      );
    if (!segment || named.length > 1 || !isTarget) return [];
    const name = `${segment.id}/${languageId}`;
    const first = firsts.get(name);
    if (first !== undefined) faults.push(translationFaults.duplicate(index, first));
    firsts.set(name, first ?? index);
    return [{ entry, languageId, segment }];
  });
  if (faults.length > 0) throw invalidTranslations(faults);
  return { found, layout };
}

/**
 * Reads segments of a project by their ids. Reads only the chunks that have them.
 * @returns `undefined` if the project has changed since it was read
 */
async function segmentsOf(
  { storage }: HostedDeps,
  project: StoredProject,
  layout: Layout,
  ids: ReadonlySet<number> | 'all',
): Promise<Map<number, StoredSegment> | undefined> {
  const counts = countsIn(project.record.payload);
  const places = ids === 'all' ? [] : Array.from(ids, (id) => layout.ofId(id)?.position ?? []).flat();
  const positions = places.toSorted((one, other) => one - other);
  const wanted = ids === 'all' ? counts.keys() : Array.from(offsetsByPart(counts, positions), ([part]) => part);
  const found = new Map<number, StoredSegment>();
  for (const chunk of wanted) {
    // Other requests run between two chunks.
    if (found.size > 0) await nextTurn();
    const segments = await readSegments(storage, project, chunk);
    if (!segments) return undefined;
    for (const segment of segments) found.set(segment.id, segment);
  }
  return found;
}

/** Adds to each entry the place of its segment, and the view that has its translation. Opens each view once. */
async function atPlaces<T extends { readonly languageId: number; readonly segment: StoredSegment }>(
  { record }: StoredProject,
  view: TranslationView,
  entries: readonly T[],
): Promise<(T & SegmentPlace & { readonly view: Translations; readonly offset: number })[]> {
  const starts = startsOf(countsIn(record.payload));
  const placed = entries.flatMap((entry) => {
    const place = view.layout.ofId(entry.segment.id);
    if (!place) return [];
    const { chunk: part, offset } = placeOf(starts, place.position);
    return [{ entry, place, part, offset, name: `${entry.languageId}/${part}` }];
  });
  const places = new Map(placed.map(({ entry: { languageId }, part, name }) => [name, { languageId, part }]));
  const views = new Map(
    await Promise.all(Array.from(places, async ([name, place]) => [name, await view.at(place)] as const)),
  );
  return placed.flatMap(({ entry, place, offset, name }) => {
    const opened = views.get(name);
    return opened ? [{ ...entry, ...place, view: opened, offset }] : [];
  });
}

/** @throws {Problem} `translation-changed`, with every entry whose translation has another version than it says */
function requireVersions(entries: readonly CurrentEntry[]): void {
  const faults = entries.flatMap(({ entry: { ifVersion }, view, offset }, index) => {
    const version = view.version(offset);
    return ifVersion === undefined || ifVersion === version ? [] : [translationFaults.otherVersion(index, version)];
  });
  if (faults.length > 0) throw translationChanged(faults);
}

/** @throws {Problem} `invalid-translations`, with every entry that lowers a status without `reopen` */
function requireStatuses(entries: readonly CurrentEntry[]): void {
  const faults = entries.flatMap(({ entry: { status, reopen }, view, offset }, index) => {
    const before = view.status(offset);
    return reopen || rankOf(status) >= rankOf(before) ? [] : [translationFaults.lowerStatus(index, before)];
  });
  if (faults.length > 0) throw invalidTranslations(faults);
}

/** Counts the final segments after the entries are written, and takes the number of their edit. */
function workAfter(work: WorkRecord, runs: TaskRuns | undefined, entries: readonly CurrentEntry[]): WorkRecord {
  const inOrder = entries.toSorted((one, other) => one.position - other.position);
  const languages = work.languages.map((language) => {
    const own = inOrder.filter(({ languageId }) => languageId === language.languageId);
    if (own.length === 0) return language;
    const numbers = own.map(({ entry: { status }, position, view, offset }): [number, number] => {
      const before = isFinal(language, view.statuses[offset] ?? '');
      return [position, Number(isFinal(language, characterOf(status))) - Number(before)];
    });
    return addFinal(work, language, runs, numbers);
  });
  return { ...work, languages, edits: { ...work.edits, next: work.edits.next + 1 } };
}

function answerOf(
  project: StoredProject,
  { entry, languageId, segment }: FoundEntry,
  version: number,
): WrittenTranslation {
  const { content, status } = entry;
  return { ...namesOf(project, languageId, segment), content, status, version };
}

/** Returns the fields that name a translation. */
function namesOf(
  { work }: StoredProject,
  languageId: number,
  { id: segmentId, customId }: StoredSegment,
): Pick<WrittenTranslation, 'id' | 'segmentId' | 'segmentCustomId' | 'languageId' | 'languageCode'> {
  const language = work.languages.find((each) => each.languageId === languageId);
  const id = translationId(segmentId, languageId);
  return { id, segmentId, segmentCustomId: customId ?? null, languageId, languageCode: language?.code ?? '' };
}
