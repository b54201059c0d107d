import { parseExact } from '../contract/exact-json.ts';
import { isSameCode, languageByCode } from '../contract/languages.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { Problem } from '../contract/problem.ts';
import { hashOf } from '../idempotency/project-item.ts';
import { type ByteText, jsonText } from '../service/byte-text.ts';
import type { TransportResponse } from '../service/http-client/exchange.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import {
  type CallContext,
  failures,
  type SegmentsPage,
  type SegmentsQuery,
  type ServiceProgress,
} from '../service/port.ts';
import { type PageBatch, segmentsPage } from '../service/segments-page.ts';
import type { UpstreamDeps } from './deps.ts';
import { unreadableProblem, upstreamFailures } from './failures.ts';
import type { LedgerItem } from './ledger.ts';
import { fetchOwned } from './read-projects.ts';
import { READ_RESULTS, resultsPath } from './requests.ts';
import { mayBelongTo, requireTask } from './tasks.ts';
import type { UpstreamProject } from './upstream-project.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A target language, as the upstream service names it. */
interface NamedLanguage {
  readonly id: unknown;
  readonly code: unknown;
}

/**
 * Reads segments of a project with their translations. The upstream service selects by task and status; Segue selects by
 * language and makes the pages. Everything that Segue does not select by is passed on as the service returns it.
 * @throws {Problem} `project-not-found`, `task-not-found`, `page-outdated`, `upstream-invalid`; `invalid-parameter` if the
 *   project does not have the language
 */
export async function readSegments(
  deps: UpstreamDeps,
  ledgerItem: LedgerItem,
  query: SegmentsQuery,
  call: CallContext,
): Promise<SegmentsPage> {
  const { status, taskId, languageCode, after } = query;
  const project = await fetchSelected(deps, ledgerItem, taskId, call);
  const language = languageCode === undefined ? undefined : selectLanguage(project, languageCode);
  const path = resultsPath(project.id, 'segments', { status, taskId });
  const entries = entriesIn(await fetchResults(deps, ledgerItem, path, call));
  const inTask = entries.filter(({ source }) => taskId === undefined || mayBelongTo(taskId, source, project));
  const shown = language ? selectTranslations(inTask, language, status !== undefined) : inTask;
  const revision = hashOf(JSON.stringify([project.id, shown]));
  if (after && after.revision !== revision) throw failures.pageOutdated();
  return segmentsPage([batchFrom(shown, after?.position ?? 0)], query, revision);
}

/**
 * Reads the progress of a project, or of one task of it, as the upstream service returns it.
 * @throws {Problem} `project-not-found`, `task-not-found`, `upstream-invalid`
 */
export async function readProgress(
  deps: UpstreamDeps,
  ledgerItem: LedgerItem,
  taskId: string | undefined,
  call: CallContext,
): Promise<ServiceProgress> {
  const { id } = await fetchSelected(deps, ledgerItem, taskId, call);
  const response = await fetchResults(deps, ledgerItem, resultsPath(id, 'progress', { taskId }), call);
  const value = parseJson(response.body, parseExact);
  const progress = Array.isArray(value) ? undefined : fieldsOf(value);
  if (!progress) throw unreadableProblem(response, READ_RESULTS);
  // The service knows the project by another custom id than the company.
  const { customId: _, ...fields } = progress;
  const { customId } = ledgerItem.entry;
  return { ...fields, ...('customId' in progress && customId !== null && { customId }) };
}

/** Fetches a project of the company, and checks that it has the task. */
async function fetchSelected(
  deps: UpstreamDeps,
  ledgerItem: LedgerItem,
  taskId: string | undefined,
  call: CallContext,
): Promise<UpstreamProject> {
  const project = await fetchOwned(deps, ledgerItem, call);
  return taskId === undefined ? project : requireTask(project, taskId);
}

/**
 * Fetches segments or the progress of a project that the service has just shown.
 * @throws {Problem} `project-not-found` if the project is gone; `upstream-unavailable` if the service does not know the
 *   new project everywhere yet; `upstream-refused` if it has the project, but answers 404
 */
async function fetchResults(
  deps: UpstreamDeps,
  ledgerItem: LedgerItem,
  path: string,
  call: CallContext,
): Promise<TransportResponse> {
  try {
    return await deps.client({ operation: READ_RESULTS, path }, call);
  } catch (error) {
    if (!(error instanceof Problem) || error.name !== 'project-not-found') throw error;
    await fetchOwned(deps, ledgerItem, call);
    const isYoung = deps.now() < ledgerItem.entry.enteredAtMs + deps.propagationMs;
    throw isYoung
      ? upstreamFailures.unavailable('The upstream service does not show the new project everywhere yet.')
      : upstreamFailures.refused('The upstream service has the project, but does not show its segments and progress.');
  }
}

/** Reads the entries of segments in a response. Entries that are no objects are skipped. */
function entriesIn(response: TransportResponse): readonly Fields[] {
  const value = parseJson(response.body, parseExact);
  if (!Array.isArray(value)) throw unreadableProblem(response, READ_RESULTS);
  const entries: readonly unknown[] = value;
  return entries.flatMap<Fields>((entry) => (Array.isArray(entry) ? [] : (fieldsOf(entry) ?? [])));
}

/**
 * Finds a target language of a project by its code.
 * @returns the language as the service names it; with the given code if the service does not show the languages
 * @throws {Problem} `invalid-parameter` if the project does not have the language
 */
function selectLanguage({ targetLanguages }: UpstreamProject, code: string): NamedLanguage {
  const given: NamedLanguage = { id: languageByCode(code)?.id, code };
  if (!Array.isArray(targetLanguages)) return given;
  const languages = targetLanguages.map((each): NamedLanguage => {
    const { targetLanguageId, targetLanguageCode } = fieldsOf(each) ?? {};
    return { id: targetLanguageId, code: targetLanguageCode };
  });
  const found = languages.find((language) => isSame(language, given));
  if (!found)
    throw failures.noTargetLanguage(languages.flatMap((each) => (typeof each.code === 'string' ? each.code : [])));
  return found;
}

/** Checks whether two languages have the same code or, if one of them has no code, the same id. */
function isSame(one: NamedLanguage, other: NamedLanguage): boolean {
  if (typeof one.code === 'string' && typeof other.code === 'string') return isSameCode(one.code, other.code);
  return one.id !== undefined && one.id === other.id;
}

/** Keeps only the translations into a language, and with `isSelective` only the segments that have one. */
function selectTranslations(entries: readonly Fields[], language: NamedLanguage, isSelective: boolean): Fields[] {
  return entries.flatMap((entry) => {
    const { translations } = entry;
    if (!Array.isArray(translations)) return isSelective ? [] : [entry];
    const selected = translations.filter((translation) => {
      const { languageId, languageCode } = fieldsOf(translation) ?? {};
      return isSame({ id: languageId, code: languageCode }, language);
    });
    return isSelective && selected.length === 0 ? [] : [{ ...entry, translations: selected }];
  });
}

/** Returns the entries from a position on, as one batch of a page. */
function batchFrom(entries: readonly Fields[], first: number): PageBatch {
  const shown = entries.slice(first);
  return { positions: shown.map((_, index) => first + index), load: () => jsonOf(shown) };
}

function* jsonOf(entries: readonly Fields[]): Generator<ByteText> {
  for (const entry of entries) yield jsonText(entry);
}
