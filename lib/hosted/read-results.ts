import { isSameCode, languageById } from '../contract/languages.ts';
import { LIMITS } from '../contract/limits.ts';
import type {
  LanguageProgress,
  ProgressAnswer,
  Project,
  SegmentAnswer,
  TargetLanguageAnswer,
  TranslatedSegment,
  TranslationAnswer,
} from '../contract/project-answer.ts';
import { failures, type ProjectRef, type SegmentsPage, type SegmentsQuery } from '../service/port.ts';
import { projectIn } from '../service/project-document.ts';
import { type PageEntry, segmentsPage } from '../service/segments-page.ts';
import type { HostedDeps } from './deps.ts';
import { findDocument } from './read-projects.ts';
import { onlyTask, tasksOf } from './tasks.ts';

/**
 * Reads segments of a project with their translations.
 * @throws {Problem} `project-not-found`, `task-not-found`, `page-outdated`; `invalid-parameter` if the project does not
 *   have the language
 */
export async function readSegments(
  deps: HostedDeps,
  ref: ProjectRef,
  query: SegmentsQuery,
  companyId: string,
): Promise<SegmentsPage> {
  const { document, record, version } = await findDocument(deps, ref, companyId);
  const project = projectIn(document);
  const languages = selectLanguages(project, query.languageCode);
  const shown = selectTask(project, query.taskId);
  // The id is part of the revision, because another project may have the custom id by now.
  const revision = `${record.id.toString(36)}-${version}`;
  if (query.after && query.after.revision !== revision) throw failures.pageOutdated();
  return segmentsPage(selectEntries(shown.segments, languages, query), query, revision);
}

/**
 * Reads the progress of a project, or of one task of it.
 * @throws {Problem} `project-not-found`, `task-not-found`; `not-acceptable` if there are too many entries
 */
export async function readProgress(
  deps: HostedDeps,
  ref: ProjectRef,
  taskId: string | undefined,
  companyId: string,
): Promise<ProgressAnswer> {
  const { document } = await findDocument(deps, ref, companyId);
  const project = projectIn(document);
  const shown = selectTask(project, taskId);
  const tasks = taskId === undefined ? tasksOf(project) : new Map([[taskId, shown.segments.length]]);
  if (tasks.size * project.targetLanguages.length > LIMITS.progressEntries) throw failures.progressTooLarge();
  const progressOf = (segments: number): LanguageProgress[] =>
    project.targetLanguages.map((language) => ({ ...namesOf(language), progress: percentage(0, segments) }));
  return {
    total: percentage(0, shown.segments.length),
    tasks: Array.from(tasks, ([id, segments]) => ({
      taskId: id,
      total: percentage(0, segments),
      targetLanguages: progressOf(segments),
    })),
    languages: progressOf(shown.segments.length),
  };
}

/** Returns the percentage of final segments, rounded down. Without segments, everything is final. */
function percentage(final: number, segments: number): number {
  return segments === 0 ? 100 : Math.floor((100 * final) / segments);
}

function selectTask(project: Project, taskId: string | undefined): Project {
  const shown = taskId === undefined ? project : onlyTask(project, taskId);
  if (!shown) throw failures.taskNotFound();
  return shown;
}

function selectLanguages({ targetLanguages }: Project, code: string | undefined): readonly TargetLanguageAnswer[] {
  if (code === undefined) return targetLanguages;
  const selected = targetLanguages.filter((language) => isSameCode(catalogueCode(language), code));
  if (selected.length === 0) throw failures.noTargetLanguage(targetLanguages.map((each) => namesOf(each).languageCode));
  return selected;
}

function* selectEntries(
  segments: readonly SegmentAnswer[],
  languages: readonly TargetLanguageAnswer[],
  { status, after }: SegmentsQuery,
): Generator<PageEntry> {
  for (const [position, source] of segments.entries()) {
    if (position < (after?.position ?? 0)) continue;
    const translations = languages
      .map(untranslated)
      .filter((translation) => status === undefined || translation.status === status);
    const entry: TranslatedSegment = { source, translations };
    if (status === undefined || translations.length > 0) yield { position, entry };
  }
}

function untranslated(language: TargetLanguageAnswer): TranslationAnswer {
  return { id: null, ...namesOf(language), content: null, status: 'untranslated', version: 0 };
}

/** Returns the id and the code of a target language. The code is the catalogue's if the request gave none. */
function namesOf(language: TargetLanguageAnswer): Pick<LanguageProgress, 'languageId' | 'languageCode'> {
  const { targetLanguageId: languageId, targetLanguageCode = catalogueCode(language) } = language;
  return { languageId, languageCode: targetLanguageCode };
}

function catalogueCode({ targetLanguageId }: TargetLanguageAnswer): string {
  const language = languageById(targetLanguageId);
  if (!language) throw new RangeError('A stored project has a language that is not in the catalogue');
  return language.langCode;
}
