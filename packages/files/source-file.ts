import type { Place } from './file-fault.ts';
import type { FilledFile, FillRules } from './fill.ts';
import { FILE_FORMATS, type TranslationFile } from './translation-file.ts';

/** The formats of files with texts to translate, which other programs write. */
export const SOURCE_FORMATS = [...FILE_FORMATS, 'android', 'apple-strings', 'stringsdict', 'html', 'markdown'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** The formats whose files have translations beside the texts. In the others, translations replace the texts. */
export const BILINGUAL_FORMATS: readonly SourceFormat[] = ['xliff', 'xliff2', 'gettext'];

/** A text to translate. It becomes a segment. */
export interface SourceText {
  readonly place: Place;
  /** What the file calls the text, such as its key. Texts may share a custom id. */
  readonly customId?: string | undefined;
  readonly content: string;
  /** The notes for translators. */
  readonly notes?: string | undefined;
}

/** The texts of a file, and the languages that it names. */
export interface SourceTexts {
  readonly sourceLanguageCode?: string | undefined;
  readonly targetLanguageCode?: string | undefined;
  /** The texts in the order of the file. */
  readonly texts: readonly SourceText[];
}

/** What Segue can do with a file that another program wrote. */
export interface SourceCodec {
  /**
   * Returns the texts to translate.
   * @param sourceLanguageCode the language of the texts, for a file with a column for each language
   * @param targetLanguageCodes the languages whose plural forms are texts too, if the file lacks them
   * @throws {TranslationFileError} if the file cannot be read
   */
  texts(file: Uint8Array, sourceLanguageCode?: string, targetLanguageCodes?: readonly string[]): SourceTexts;
  /**
   * Writes translations into the file. Everything else in the file stays as it is.
   * @throws {TranslationFileError} if the file cannot be read, or belongs to another project or language
   */
  fill(file: Uint8Array, translations: TranslationFile, rules?: FillRules): FilledFile;
}
