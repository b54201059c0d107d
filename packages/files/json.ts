import * as z from 'zod/mini';
import { findSyntaxFault } from '../../lib/contract/json-syntax.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { pointerTo } from '../../lib/contract/pointer.ts';
import { TRANSLATION_STATUSES } from '../../lib/contract/translation-status.ts';
import { decodeFile } from './decode.ts';
import { type FileFault, TranslationFileError } from './file-fault.ts';
import { baseOf, type ParsedFile, STATUS_EXPECTED, type TranslationFile, tagOf } from './translation-file.ts';

const Id = z.int().check(z.positive());

/** The schema of a JSON file. `docs/translators-files.md` describes it. */
const JsonFile = z.object({
  project: z.optional(z.object({ id: Id })),
  language: z.optional(z.string()),
  segments: z.array(
    z.object({
      id: z.optional(Id),
      customId: z.optional(z.nullable(z.string())),
      source: z.optional(z.string()),
      target: z.optional(z.nullable(z.string())),
      status: z.optional(z.enum(TRANSLATION_STATUSES)),
      base: z.optional(z.string()),
    }),
  ),
});

const NO_EXPORT = 'The file is not an export of Segue, which has the fields project, language and segments.';

/** Writes a JSON file. */
export function writeJson({ project, languageCode, segments }: TranslationFile): string {
  const file = {
    project: { id: project.id, name: project.name, sourceLanguage: tagOf(project.sourceLanguageCode) },
    language: tagOf(languageCode),
    segments: segments.map(({ id, customId, taskId, content, notes, translation }) => {
      const status = translation?.status ?? 'untranslated';
      return {
        id,
        ...(customId !== undefined && { customId }),
        ...(taskId !== undefined && { taskId }),
        ...(notes.length > 0 && { notes }),
        source: content,
        target: translation?.content ?? null,
        status,
        base: baseOf(translation, status),
      };
    }),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** Reads a JSON file. @throws {TranslationFileError} if it is not JSON, or has another shape */
export function readJson(bytes: Uint8Array | string): ParsedFile {
  const { success, data, error } = JsonFile.safeParse(parseJsonText(decodeFile(bytes).text));
  if (!success) {
    throw new TranslationFileError(error.issues.slice(0, LIMITS.faults).map(({ path }) => faultAt(path)));
  }
  const entries = data.segments.map(({ id, customId, source, target, status, base }, index) => ({
    place: { pointer: `/segments/${index}` },
    ...(id === undefined ? { customIds: customId ? [customId] : [] } : { segmentId: id }),
    languageCode: data.language,
    source,
    content: target ?? '',
    status,
    base,
  }));
  return { projectId: data.project?.id, entries, faults: [] };
}

function faultAt(path: readonly PropertyKey[]): FileFault {
  const place = { pointer: pointerTo(path) };
  const name = String(path.at(-1));
  if (path.length < 2) return { place, code: 'syntax', detail: NO_EXPORT };
  if (name === 'status') return { place, code: 'unknown-status', detail: STATUS_EXPECTED };
  const expected = name === 'id' ? 'a whole number above 0' : path.length === 2 ? 'an object' : 'a text';
  return { place, code: 'syntax', detail: `The JSON must have ${expected} here.` };
}

/** Parses JSON. @throws {TranslationFileError} with the line and column where the text is not JSON */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error's message quotes the file, and must not be shown.
    const { line, column, expected } = findSyntaxFault(text) ?? { line: 1, column: 1, expected: 'a value' };
    const detail = `The file is not valid JSON: expected ${expected}.`;
    throw new TranslationFileError([{ place: { line, column }, code: 'syntax', detail }]);
  }
}
