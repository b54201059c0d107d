import * as z from 'zod/mini';
import { languageByCode, languageById } from '../../lib/contract/languages.ts';
import type { ProblemType } from '../../lib/contract/problems.ts';
import { TRANSLATION_STATUSES } from '../../lib/contract/translation-status.ts';
import { type FileSegment, isSameLanguage, type TranslationFile, tagOf } from './translation-file.ts';

/** The operations of a client that files need. */
export interface TranslationsReader {
  getProject(id: number): Promise<object>;
  eachSegment(project: number, options: ReadOptions): AsyncIterable<object>;
}

interface ReadOptions {
  readonly languageCode: string;
  readonly taskId?: string | undefined;
}

const text = z.catch(z.optional(z.string()), undefined);
const number = z.catch(z.optional(z.int()), undefined);
const Language = z.object({ targetLanguageCode: text, targetLanguageId: number });

/** The parts of a project that are used. A service behind Segue may leave any of them out. */
const ProjectHead = z.object({
  name: z.catch(z.string(), ''),
  sourceLanguageCode: text,
  sourceLanguageId: number,
  targetLanguages: z.catch(z.array(Language), []),
});

const Note = z.object({ languageId: number, languageCode: text, note: text });
const Segment = z.object({
  source: z.object({
    id: z.int(),
    customId: text,
    taskId: text,
    content: z.string(),
    notes: text,
    languageSpecificNotes: z.catch(z.array(Note), []),
  }),
  translations: z.array(
    z.object({
      languageId: number,
      languageCode: text,
      content: z.catch(z.string(), ''),
      status: z.enum(TRANSLATION_STATUSES),
      version: number,
    }),
  ),
});

/** The languages of a project. Codes have the form of the catalogue. */
export interface ProjectLanguages {
  readonly id: number;
  readonly name: string;
  /** Empty if the service does not say. */
  readonly sourceLanguageCode: string;
  readonly targetLanguageCodes: readonly string[];
}

/** Reads the name and the languages of a project. */
export async function readLanguages(client: TranslationsReader, id: number): Promise<ProjectLanguages> {
  const project = ProjectHead.parse(await client.getProject(id));
  const codes = project.targetLanguages.map(({ targetLanguageCode, targetLanguageId }) =>
    codeOf(targetLanguageCode, targetLanguageId),
  );
  return {
    id,
    name: project.name,
    sourceLanguageCode: codeOf(project.sourceLanguageCode, project.sourceLanguageId) ?? '',
    targetLanguageCodes: codes.filter((code) => code !== undefined),
  };
}

/** Returns the target language of a project that a code names, in the form of the catalogue. */
export function targetLanguage({ targetLanguageCodes }: ProjectLanguages, code: string): string | undefined {
  return targetLanguageCodes.find((target) => isSameLanguage(target, code));
}

/** How often the segments are read from the beginning, if the project changes meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Reads the segments of a project with their translations into one language. If the project changes meanwhile, it starts
 * again, so that the result was true at one moment.
 * @param options the language, as `targetLanguage` returns it, and the task whose segments to read
 * @param onRead called after each segment, with the number of segments until then
 */
export async function readTranslations(
  client: TranslationsReader,
  project: ProjectLanguages,
  options: ReadOptions,
  onRead?: (segments: number) => void,
): Promise<TranslationFile> {
  for (let attempt = 1; ; attempt++) {
    try {
      const segments: FileSegment[] = [];
      for await (const segment of client.eachSegment(project.id, options)) {
        segments.push(segmentOf(Segment.parse(segment), options.languageCode));
        onRead?.(segments.length);
      }
      return { project, languageCode: options.languageCode, segments };
    } catch (error) {
      if (!faultsOf(error, 'page-outdated') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** What files need of the error of a client's request. */
const Failure = z.object({ type: z.string(), errors: z.array(z.object({ pointer: z.string() })) });

/** Returns the faults of a request that was refused for a problem; `undefined` if the error is another one. */
export function faultsOf(error: unknown, type: ProblemType): readonly { readonly pointer: string }[] | undefined {
  const { success, data } = Failure.safeParse(error);
  return success && data.type === type ? data.errors : undefined;
}

function segmentOf({ source, translations }: z.infer<typeof Segment>, languageCode: string): FileSegment {
  const isHere = (entry: { languageCode?: string | undefined; languageId?: number | undefined }) =>
    isSameLanguage(codeOf(entry.languageCode, entry.languageId) ?? '', languageCode);
  const { id, customId, taskId, content, notes, languageSpecificNotes } = source;
  const found = translations.find(isHere);
  const translation =
    found && found.content !== '' && found.status !== 'untranslated'
      ? { content: found.content, status: found.status, version: found.version }
      : undefined;
  const allNotes = [notes, ...languageSpecificNotes.filter(isHere).map(({ note }) => note)];
  return { id, customId, taskId, content, notes: allNotes.filter((note) => note !== undefined), translation };
}

function codeOf(code: string | undefined, id: number | undefined): string | undefined {
  const language = code === undefined ? id !== undefined && languageById(id) : languageByCode(code);
  return language ? language.langCode : code && tagOf(code);
}
