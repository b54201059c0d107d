import { parseExact } from '../contract/exact-json.ts';
import * as failures from '../contract/failures.ts';
import { isSameCode, languageByCode } from '../contract/languages.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { hashOf } from '../records/keys.ts';
import { type ByteText, jsonText } from '../service/byte-text.ts';
import type { TransportResponse } from '../service/http-client/exchange.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import type { CallContext, ProjectRef, SegmentsPage, SegmentsQuery, ServiceProgress } from '../service/port.ts';
import { type PageBatch, segmentsPage } from '../service/segments-page.ts';
import type { UpstreamDeps } from './deps.ts';
import { problemFrom, requireOk } from './failures.ts';
import type { Entry } from './ledger.ts';
import { fetchOwned, fetchSelected } from './read-projects.ts';
import { READ_RESULTS, resultsPath } from './requests.ts';
import { mayBelongTo } from './tasks.ts';
import { busy, refused, unreadableBody } from './upstream-answer.ts';
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
  ref: ProjectRef,
  query: SegmentsQuery,
  call: CallContext,
): Promise<SegmentsPage> {
  const { status, taskId, languageCode, after } = query;
  const { project, entry } = await fetchSelected(deps, ref, taskId, call);
  const language = languageCode === undefined ? undefined : selectLanguage(project, languageCode);
  const path = resultsPath(project.id, 'segments', { status, taskId });
  const entries = entriesIn(await fetchResults(deps, entry, path, call));
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
  ref: ProjectRef,
  taskId: string | undefined,
  call: CallContext,
): Promise<ServiceProgress> {
  const { project, entry } = await fetchSelected(deps, ref, taskId, call);
  const { body } = await fetchResults(deps, entry, resultsPath(project.id, 'progress', { taskId }), call);
  const value = parseJson(body, parseExact);
  const progress = Array.isArray(value) ? undefined : fieldsOf(value);
  if (!progress) throw problemFrom(unreadableBody(body));
  // The service knows the project by another custom id than the company.
  const { customId: _, ...fields } = progress;
  return { ...fields, ...('customId' in progress && entry.customId !== null && { customId: entry.customId }) };
}

/**
 * Fetches segments or the progress of a project that the service has just shown.
 * @throws {Problem} `project-not-found` if the project is gone; `upstream-unavailable` if the service does not know the
 *   new project everywhere yet; `upstream-refused` if it has the project, but answers 404
 */
async function fetchResults(
  deps: UpstreamDeps,
  entry: Entry,
  path: string,
  call: CallContext,
): Promise<TransportResponse> {
  const answer = await deps.client({ operation: READ_RESULTS, path }, call);
  if (answer.kind !== 'absent' || answer.what === 'task') return requireOk(answer);
  requireOk(await fetchOwned(deps, entry, call));
  const isYoung = deps.now() < entry.enteredAtMs + deps.propagationMs;
  throw problemFrom(
    isYoung
      ? busy('The upstream service does not show the new project everywhere yet.')
      : refused('The upstream service has the project, but does not show its segments and progress.'),
  );
}

/** Reads the entries of segments in a response. Entries that are no objects are skipped. */
function entriesIn({ body }: TransportResponse): readonly Fields[] {
  const value = parseJson(body, parseExact);
  if (!Array.isArray(value)) throw problemFrom(unreadableBody(body));
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
