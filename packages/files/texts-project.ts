import { isTooLong } from '../../lib/contract/fields.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { SourceText, SourceTexts } from './source-file.ts';

/** What a user says about a project of texts. */
export interface TextsProjectOptions {
  /** Whether an engine translates the texts into each target language. */
  readonly automatic?: boolean | undefined;
  readonly customId?: string | undefined;
  /** The deadline: an RFC 3339 date with a time, or a day, at whose end in UTC it is. */
  readonly due?: string | undefined;
  readonly name?: string | undefined;
  readonly sourceLanguage?: string | undefined;
  /** Codes of languages. One text may have several, with spaces or commas between them. */
  readonly targetLanguage?: readonly string[] | undefined;
}

/** Returns the fields of a project that options set. */
export function fieldsFrom(options: TextsProjectOptions): Readonly<Record<string, unknown>> {
  const { customId, due, name, sourceLanguage, targetLanguage: targets } = options;
  const all = {
    customId,
    name,
    sourceLanguageCode: sourceLanguage,
    endDateUtc: due !== undefined && /^\d{4}-\d\d-\d\d$/.test(due) ? `${due}T23:59:59Z` : due,
    targetLanguages: targets?.flatMap(splitCodes).map((code) => targetLanguage(code, options)),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Divides codes with spaces or commas between them. */
function splitCodes(codes: string): string[] {
  const all = codes.split(/[\s,]+/).filter(Boolean);
  return all.length > 0 ? all : [codes];
}

function targetLanguage(targetLanguageCode: string, { automatic }: TextsProjectOptions) {
  return { targetLanguageCode, ...(automatic && { serviceAutomaticTranslation: true }) };
}

/**
 * Returns the project of a file of texts. What the file itself says counts least.
 * @param fileName the name of the project, if no other is set
 * @param set the fields that are set
 */
export function projectWithTexts(
  source: SourceTexts,
  fileName: string,
  set: Readonly<Record<string, unknown>>,
  options: Pick<TextsProjectOptions, 'automatic'>,
) {
  const { sourceLanguageCode: from, targetLanguageCode: into } = source;
  return {
    name: fileName,
    ...(from !== undefined && { sourceLanguageCode: from }),
    ...(into !== undefined && { targetLanguages: [targetLanguage(into, options)] }),
    ...set,
    segments: source.texts.map(segmentOf),
  };
}

/** Returns the segment of a text. A custom id that is too long is left out: the text itself then tells the segment. */
export function segmentOf({ customId = '', content, notes }: SourceText) {
  const isId = customId !== '' && !isTooLong(customId, LIMITS.stringCharacters);
  return { ...(isId && { customId }), content, ...(notes !== undefined && { notes }) };
}

/**
 * Returns the text that a fault of a project is about, and the name of the field in it.
 * @param pointer the JSON pointer of the fault
 * @returns `undefined` if the fault is in another part of the project
 */
export function faultyText(
  { texts }: SourceTexts,
  pointer: string,
): { readonly text: SourceText; readonly field: string } | undefined {
  const [, index, field = ''] = /^\/segments\/(\d+)(?:\/(\w+))?/.exec(pointer) ?? [];
  const text = index === undefined ? undefined : texts[Number(index)];
  return text && { text, field };
}
