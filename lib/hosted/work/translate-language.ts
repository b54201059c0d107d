import type { Deadline } from '../../service/deadline.ts';
import type { CharacterBudget, EngineCall, EngineFailure, TextResult } from '../../service/translation-engine.ts';
import type { Storage, Write } from '../../storage/port.ts';
import type { Layout } from '../layout.ts';
import type { StoredSegment } from '../project-payload.ts';
import { readProject, type StoredProject } from '../read-projects.ts';
import type { SegmentsRequest, SegmentsTranslation } from '../translation/translate-segments.ts';
import { changeChunk, fitsInCommit } from './change-chunks.ts';
import type { SlotChange } from './chunk-item.ts';
import { placeOf, startsOf } from './chunk-view.ts';
import { addFinal } from './final-counts.ts';
import { readLayout, readSegments, readTaskRuns } from './project-parts.ts';
import { removeStaleIn } from './remove-translations.ts';
import type { TaskRuns } from './segment-tasks.ts';
import { fateOf } from './stale-slots.ts';
import { characterOf, FAILED, UNTRANSLATED } from './status-text.ts';
import { openView } from './translation-view.ts';
import { changeWork, HELD_PAUSE_MS, isHeld, type WorkChange, workerOrigin } from './work-change.ts';
import { codeOf, isFinal, isQueued, type LanguageWork } from './work-record.ts';

/** The dependencies of automatic translation. */
export interface TranslationDeps {
  readonly storage: Storage;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for a number of milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Translates the contents of segments with an engine. */
  readonly translate: (request: SegmentsRequest) => Promise<SegmentsTranslation>;
  /** Makes a globally unique id for an event. */
  readonly newEventId: () => string;
  /** Called after each chunk of which the engine received something, also if nobody wants the results any more. */
  readonly onTranslated?: ((translated: Translated) => void) | undefined;
  /** Called when the translation of a language has failed for good. */
  readonly onFailed?: ((failed: FailedTranslation) => void) | undefined;
  /**
   * How many characters the engine may translate for a company on one day (UTC). By default there is no limit, and they
   * are not counted.
   */
  readonly charactersPerDay?: number | undefined;
  /** Returns a company's own limit of these characters; `undefined` if it has none. The lower limit holds. */
  readonly charactersPerDayOf?: ((companyId: string) => Promise<number | undefined>) | undefined;
  /** The trace of the job that runs. */
  readonly traceId?: string | undefined;
}

/** A language that Segue no longer tries to translate, because the engine failed. */
export interface FailedTranslation {
  readonly companyId: string;
  readonly projectId: number;
  readonly languageCode: string;
  readonly traceId?: string | undefined;
  readonly failure: EngineFailure;
}

/** What an engine translated for a company. */
export interface Translated {
  readonly companyId: string;
  readonly traceId?: string | undefined;
  /** How many segments have a result. */
  readonly segments: number;
  /** How many characters the engine received, and may charge for. */
  readonly characters: number;
}

/**
 * The end of a run over a language. `done`: every segment has a translation, or a reason why it has none. `changed`: the
 * project has changed or the time is over. `failed`: the engine failed, the company has used up its characters, or no day
 * has enough of them for some texts.
 */
export type LanguageEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'failed'; readonly failure: EngineFailure };

/** A language of a project, by its index. */
export interface LanguageRef {
  readonly companyId: string;
  readonly index: number;
}

/** What a run of a job shares between the languages of its project. */
export interface JobRun extends EngineCall {
  /** Whether another step or chunk may start. */
  readonly isTimeLeft: () => boolean;
  /** Called after results of the engine were stored. */
  readonly onProgress: () => Promise<void>;
  /** Absent if the characters are not limited. */
  readonly budget?: CharacterBudget | undefined;
  /** The segments of each chunk that was read, by the version of the project and the index of the chunk. */
  readonly segments: Map<string, readonly StoredSegment[]>;
}

const AUTOMATIC = characterOf('automatic');

/** The maximum number of parts whose results one commit stores. */
const MAX_PARTS = 4;
/**
 * How long results may wait for those of the next chunk, in milliseconds. So a fast engine needs few commits, and a slow
 * one, which may cost money, loses the results of one chunk at most if the process dies.
 */
const MAX_WAIT_MS = 50;

/** Translates the untranslated segments of a language, chunk by chunk. Stores the results of a few chunks in one commit. */
export async function translateLanguage(
  deps: TranslationDeps,
  { companyId, index }: LanguageRef,
  started: StoredProject,
  { segments: read, isTimeLeft, onProgress, ...call }: JobRun,
): Promise<LanguageEnd> {
  const { storage, now } = deps;
  const target = started.work.languages[index];
  if (!target) throw new RangeError('The project has no language with this index');
  const { languageId } = target;
  const pair = { source: codeOf(started.record.sourceLanguageId), target: codeOf(languageId) };
  const layout = await readLayout(storage, started);
  if (!layout) return { kind: 'changed' };
  const parts = await (await openView(storage, companyId, started, layout)).language(languageId);
  let project = started;
  const runs = await readTaskRuns(storage, project);
  let waiting: LanguageResults = { languageId, version: project.version, layout, runs, parts: [] };
  let waitsSinceMs = 0;
  let overLimit: EngineFailure | undefined;

  /** Stores the results that wait. @returns `false` if nobody wants them any more */
  async function store(): Promise<boolean> {
    const { parts: done } = waiting;
    if (done.length === 0) return true;
    const stored = await storeResults(deps, companyId, project, waiting, call.deadline);
    waiting = { ...waiting, parts: [] };
    // The layout of a project that has changed may be another.
    if (stored?.version !== project.version) return false;
    project = stored;
    if (done.some((results) => results.length > 0)) await onProgress();
    return true;
  }

  for (const [part, { statuses }] of parts.entries()) {
    if (!statuses.includes(UNTRANSLATED)) continue;
    const name = `${project.version}/${part}`;
    const segments = read.get(name) ?? (await readSegments(storage, project, part));
    if (!segments || !isTimeLeft()) {
      await store();
      return { kind: 'changed' };
    }
    read.set(name, segments);
    const open = segments.filter((_, offset) => statuses[offset] === UNTRANSLATED);
    if (open.length === 0) continue;
    const texts = open.map(({ content }) => content);
    if (waiting.parts.length === 0) waitsSinceMs = now();
    const { results, usedCharacters, failure } = await deps.translate({ ...pair, texts, ...call });
    const found = open.flatMap(({ id }, n): SegmentResult[] => {
      const result = results[n];
      return result && result.kind !== 'pending' ? [{ id, result }] : [];
    });
    if (found.length > 0 || usedCharacters > 0) {
      deps.onTranslated?.({ companyId, traceId: deps.traceId, segments: found.length, characters: usedCharacters });
    }
    waiting = { ...waiting, parts: [...waiting.parts, found] };
    const isOverLimit = failure?.code === 'over-limit';
    if (isOverLimit) overLimit = failure;
    const isEnd = failure !== undefined && !isOverLimit;
    const mayWait = !isEnd && waiting.parts.length < MAX_PARTS && now() - waitsSinceMs < MAX_WAIT_MS;
    if (!mayWait && !(await store())) return { kind: 'changed' };
    if (isEnd) return { kind: 'failed', failure };
  }
  if (!(await store())) return { kind: 'changed' };
  return overLimit ? { kind: 'failed', failure: overLimit } : { kind: 'done' };
}

/** The result of an engine for a segment. */
interface SegmentResult {
  readonly id: number;
  readonly result: TextResult;
}

/** The results of an engine for some parts of a language, which are stored together. */
interface LanguageResults {
  readonly languageId: number;
  /** The version of the project that was read, with its layout and its tasks. */
  readonly version: number;
  readonly layout: Layout;
  readonly runs: TaskRuns | undefined;
  /** The results of each part. */
  readonly parts: readonly (readonly SegmentResult[])[];
}

/**
 * Stores results. If the project has changed since it was read, the store refuses the commit. Then only the results are
 * stored that are still wanted: not those of a deleted segment, or of a segment that somebody has translated.
 * @param deadline after it, no request holds the results back
 * @returns the changed project; `undefined` if the project was deleted, or its language waits
 */
async function storeResults(
  deps: TranslationDeps,
  companyId: string,
  started: StoredProject,
  results: LanguageResults,
  deadline: Deadline,
): Promise<StoredProject | undefined> {
  const { storage } = deps;
  let project: StoredProject | undefined = started;
  for (;;) {
    if (project && isHeld(project.work, deps.now()) && deadline.remainingMs() > 0) {
      await deps.sleep(HELD_PAUSE_MS);
      project = await readProject(storage, companyId, started.id);
      continue;
    }
    const language = project?.work.languages.find(({ languageId }) => languageId === results.languageId);
    if (!project || !language || !isQueued(language)) return undefined;
    const change = await changeFor(deps, companyId, project, results);
    if (!change || !(await storage.commit({ writes: change.writes })).ok) {
      project = await readProject(storage, companyId, started.id);
      continue;
    }
    project = { ...project, work: change.work, workVersion: project.workVersion + 1 };
    if (!change.isPart) return project;
  }
}

/**
 * Makes the change that stores results, or a part of many long ones: what it leaves is still wanted after it.
 * @returns `undefined` if the project has changed since it was read
 */
async function changeFor(
  deps: TranslationDeps,
  companyId: string,
  project: StoredProject,
  read: LanguageResults,
): Promise<(WorkChange & { readonly isPart: boolean }) | undefined> {
  const { storage } = deps;
  const { work } = project;
  const { languageId } = read;
  const index = work.languages.findIndex((language) => language.languageId === languageId);
  const language = work.languages[index];
  const isSame = project.version === read.version;
  const layout = isSame ? read.layout : await readLayout(storage, project);
  const runs = isSame ? read.runs : await readTaskRuns(storage, project);
  if (!language || !layout) return undefined;
  const view = await openView(storage, companyId, project, layout);
  const all = read.parts.flat();
  const isComplex = ({ result }: SegmentResult) => result.kind === 'failed' && result.reason === 'too-complex';
  let after: LanguageWork = {
    ...language,
    automatic: { state: 'running', problem: null },
    ...(all.some(isComplex) && { hasTooComplex: true }),
  };
  const starts = startsOf(layout.slots);
  const placed = all.flatMap(({ id, result }) => {
    const place = layout.ofId(id);
    // Of an edition that is settled since, nobody knows which contents have changed.
    if (
      !place ||
      read.layout.edition < layout.settled ||
      fateOf(layout, language, place.slot, read.layout.edition) !== 'kept'
    )
      return [];
    return [{ ...place, ...placeOf(starts, place.slot), result }];
  });
  const chunkWrites: Write[] = [];
  const numbers: (readonly [position: number, number: number])[] = [];
  let isPart = false;
  for (const [chunk, results] of Map.groupBy(placed, (each) => each.chunk)) {
    if (isPart) break;
    const place = { languageId, chunk };
    const { chunk: stored, statuses, version } = await view.chunks.wholeAt(place);
    if (view.chunks.stale.changesOf(place, stored).length > 0) {
      await removeStaleIn(storage, companyId, project, view, place);
      return undefined;
    }
    const wanted = results
      .filter(({ offset }) => statuses[offset] === UNTRANSLATED)
      .toSorted((one, other) => one.offset - other.offset);
    if (wanted.length === 0) continue;
    const slots = wanted.map(({ offset, result }) => slotChange(offset, result, version(offset)));
    const changed = await changeChunk(storage, stored, slots, layout.edition);
    if (!changed) return undefined;
    const { writes, changes } = changed;
    if (chunkWrites.length > 0 && !fitsInCommit([...chunkWrites, ...writes])) {
      isPart = true;
      break;
    }
    chunkWrites.push(...writes);
    isPart = changes.length < wanted.length;
    for (const [n, { status }] of changes.entries()) {
      numbers.push([wanted[n]?.position ?? 0, isFinal(language, status) ? 1 : 0]);
    }
  }
  numbers.sort(([one], [other]) => one - other);
  after = addFinal(work, after, runs, numbers);
  const languages = work.languages.with(index, after);
  const change = await changeWork(deps, workerOrigin(deps, companyId), project, { ...work, languages });
  return { work: change.work, writes: [...change.writes, ...chunkWrites], isPart };
}

/** @param version the version of the translation before */
function slotChange(offset: number, result: TextResult, version: number): SlotChange {
  return result.kind === 'translated'
    ? { offset, status: AUTOMATIC, version: version + 1, content: result.text }
    : { offset, status: FAILED, version, problem: result.reason, lost: result.lost };
}
