import type { Deadline } from '../../service/deadline.ts';
import type { CharacterBudget, EngineCall, EngineFailure, TextResult } from '../../service/translation-engine.ts';
import type { Storage, Write } from '../../storage/port.ts';
import { firstSegmentId, type StoredSegment } from '../project-payload.ts';
import { readProject, type StoredProject } from '../read-projects.ts';
import type { SegmentsRequest, SegmentsTranslation } from '../translation/translate-segments.ts';
import { changeChunk, fitsInCommit } from './change-chunks.ts';
import type { SlotChange } from './chunk-item.ts';
import { addFinal } from './final-counts.ts';
import { firstIdOfChunk, readSegments, readTaskRuns } from './project-parts.ts';
import type { TaskRuns } from './segment-tasks.ts';
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
 * project has changed or the time is over. `failed`: the engine failed, or the company has used up its characters.
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

/** The maximum number of chunks whose results one commit stores. */
const MAX_CHUNKS = 4;
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
  const { id, slots } = { id: started.id, slots: started.record.payload.slots };
  const target = started.work.languages[index];
  if (!target) throw new RangeError('The project has no language with this index');
  const pair = { source: codeOf(started.record.sourceLanguageId), target: codeOf(target.languageId) };
  const chunks = await (await openView(storage, { companyId, id, slots }, started.work)).language(index);
  let project = started;
  let runs = await readTaskRuns(storage, project);
  let waiting: LanguageResults = { index, chunks: [] };
  let waitsSinceMs = 0;

  /** Stores the results that wait. @returns `false` if nobody wants them any more */
  async function store(): Promise<boolean> {
    const { chunks: done } = waiting;
    if (done.length === 0) return true;
    const stored = await storeResults(deps, companyId, project, waiting, call.deadline);
    waiting = { index, chunks: [] };
    if (!stored) return false;
    if (stored.version !== project.version) runs = await readTaskRuns(storage, stored);
    project = stored;
    if (done.some(({ results }) => results.length > 0)) await onProgress();
    return true;
  }

  for (const [chunk, { statuses }] of chunks.entries()) {
    if (!statuses.includes(UNTRANSLATED)) continue;
    const name = `${project.version}/${chunk}`;
    const segments = read.get(name) ?? (await readSegments(storage, project, chunk));
    if (!segments || !isTimeLeft()) {
      await store();
      return { kind: 'changed' };
    }
    read.set(name, segments);
    const first = firstIdOfChunk(project.record, chunk);
    const open = segments.filter((segment) => statuses[segment.id - first] === UNTRANSLATED);
    if (open.length === 0) continue;
    const texts = open.map(({ content }) => content);
    if (waiting.chunks.length === 0) waitsSinceMs = now();
    const { results, usedCharacters, failure } = await deps.translate({ ...pair, texts, ...call });
    const found = open.flatMap(({ id }, n): SegmentResult[] => {
      const result = results[n];
      return result && result.kind !== 'pending' ? [{ id, result }] : [];
    });
    if (found.length > 0 || usedCharacters > 0) {
      deps.onTranslated?.({ companyId, traceId: deps.traceId, segments: found.length, characters: usedCharacters });
    }
    const done: ChunkResults = { chunk, version: project.version, runs, results: found };
    waiting = { index, chunks: [...waiting.chunks, done] };
    const mayWait = !failure && waiting.chunks.length < MAX_CHUNKS && now() - waitsSinceMs < MAX_WAIT_MS;
    if (!mayWait && !(await store())) return { kind: 'changed' };
    if (failure) return { kind: 'failed', failure };
  }
  return (await store()) ? { kind: 'done' } : { kind: 'changed' };
}

/** The result of an engine for a segment. */
interface SegmentResult {
  readonly id: number;
  readonly result: TextResult;
}

/** The results of an engine for one chunk. */
interface ChunkResults {
  /** The index of the chunk. */
  readonly chunk: number;
  /** The version of the project that was read, and its tasks. */
  readonly version: number;
  readonly runs: TaskRuns | undefined;
  /** In ascending order of the ids. */
  readonly results: readonly SegmentResult[];
}

/** The results of an engine for some chunks of a language, which are stored together. */
interface LanguageResults {
  /** The index of the language in the project. */
  readonly index: number;
  /** In ascending order. */
  readonly chunks: readonly ChunkResults[];
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
    const language = project?.work.languages[results.index];
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
  { index, chunks }: LanguageResults,
): Promise<(WorkChange & { readonly isPart: boolean }) | undefined> {
  const { record, work } = project;
  const view = await openView(deps.storage, { companyId, id: project.id, slots: record.payload.slots }, work);
  const [language] = work.languages.slice(index);
  if (!language) return undefined;
  const isComplex = ({ result }: SegmentResult) => result.kind === 'failed' && result.reason === 'too-complex';
  let after: LanguageWork = {
    ...language,
    automatic: { state: 'running', problem: null },
    ...(chunks.some(({ results }) => results.some(isComplex)) && { hasTooComplex: true }),
  };
  const chunkWrites: Write[] = [];
  let isPart = false;
  for (const { chunk: place, version, runs, results } of chunks) {
    if (isPart) break;
    const isSame = project.version === version;
    const [present, { chunk, statuses }] = await Promise.all([
      isSame ? results : readSegments(deps.storage, project, place),
      view.wholeAt({ language: index, chunk: place }),
    ]);
    if (!present) return undefined;
    const ids = isSame ? undefined : new Set(present.map(({ id }) => id));
    const first = firstIdOfChunk(record, place);
    const wanted = results.flatMap(({ id, result }): SlotChange[] => {
      const isWanted = (!ids || ids.has(id)) && statuses[id - first] === UNTRANSLATED;
      return isWanted ? [slotChange(id - first, result)] : [];
    });
    if (wanted.length === 0) continue;
    const changed = await changeChunk(deps.storage, chunk, wanted);
    if (!changed) return undefined;
    const { writes, changes } = changed;
    if (chunkWrites.length > 0 && !fitsInCommit([...chunkWrites, ...writes])) {
      isPart = true;
      break;
    }
    chunkWrites.push(...writes);
    isPart = changes.length < wanted.length;
    const start = first - firstSegmentId(record);
    const numbers = changes.map(({ offset, status }) => [start + offset, isFinal(language, status) ? 1 : 0] as const);
    const presentRuns = isSame ? runs : await readTaskRuns(deps.storage, project);
    after = addFinal(work, after, presentRuns, numbers);
  }
  const languages = work.languages.with(index, after);
  const change = await changeWork(deps, workerOrigin(deps, companyId), project, { ...work, languages });
  return { work: change.work, writes: [...change.writes, ...chunkWrites], isPart };
}

function slotChange(offset: number, result: TextResult): SlotChange {
  return result.kind === 'translated'
    ? { offset, status: AUTOMATIC, version: 1, content: result.text }
    : { offset, status: FAILED, version: 0, problem: result.reason, lost: result.lost };
}
