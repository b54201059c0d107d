import { TranslationFileError } from './file-fault.ts';
import type { SourceCodec, SourceFormat } from './source-file.ts';
import { FILE_FORMATS, type FileFormat, type ParsedFile, type TranslationFile } from './translation-file.ts';

/** What Segue can do with a format of files for translators. */
export interface FileCodec extends SourceCodec {
  write(file: TranslationFile): string;
  /**
   * @param languageCode the language of the translations, for a file with a column for each language
   * @throws {TranslationFileError} if the file cannot be read
   */
  read(file: Uint8Array | string, languageCode?: string): ParsedFile;
}

/** Each format is loaded when it is first used. */
const CODECS: Readonly<Record<FileFormat, () => Promise<FileCodec>>> = {
  async xliff() {
    const { fillXliff, readXliff, writeXliff1, xliffTexts } = await import('./xliff/xliff.ts');
    return { write: writeXliff1, read: readXliff, fill: fillXliff, texts: xliffTexts };
  },
  async xliff2() {
    const { fillXliff, readXliff, writeXliff2, xliffTexts } = await import('./xliff/xliff.ts');
    return { write: writeXliff2, read: readXliff, fill: fillXliff, texts: xliffTexts };
  },
  async gettext() {
    const [{ gettextTexts, readGettext, writeGettext }, { fillGettext }] = await Promise.all([
      import('./gettext/gettext.ts'),
      import('./gettext/fill-gettext.ts'),
    ]);
    return { write: writeGettext, read: readGettext, fill: fillGettext, texts: gettextTexts };
  },
  async csv() {
    const [{ readCsv, writeCsv }, { csvTexts }] = await Promise.all([
      import('./csv.ts'),
      import('./sources/csv-texts.ts'),
    ]);
    return { write: writeCsv, read: readCsv, ...csvTexts };
  },
  async json() {
    const [{ readJson, writeJson }, { jsonTexts }] = await Promise.all([
      import('./json.ts'),
      import('./sources/json-texts.ts'),
    ]);
    return { write: writeJson, read: readJson, ...jsonTexts };
  },
};

/** The formats that Segue only reads texts from and fills in. */
const SOURCE_CODECS: Readonly<Record<Exclude<SourceFormat, FileFormat>, () => Promise<SourceCodec>>> = {
  android: async () => (await import('./sources/android.ts')).android,
  stringsdict: async () => (await import('./sources/stringsdict.ts')).stringsdict,
  html: async () => (await import('./sources/html.ts')).html,
  markdown: async () => (await import('./sources/markdown.ts')).markdown,
  'apple-strings': async () => (await import('./sources/apple-strings.ts')).appleStrings,
};

/** Loads a format of files for translators. */
export async function loadCodec(format: FileFormat): Promise<FileCodec> {
  const codec = await CODECS[format]();
  return {
    ...codec,
    write(file) {
      requireWellFormed(file);
      return codec.write(file);
    },
  };
}

/** Loads a format of files with texts to translate. */
export function loadSourceCodec(format: SourceFormat): Promise<SourceCodec> {
  return isFileFormat(format) ? CODECS[format]() : SOURCE_CODECS[format]();
}

/** Whether a format is one of files for translators. */
export function isFileFormat(format: SourceFormat): format is FileFormat {
  return FILE_FORMATS.some((each) => each === format);
}

const EXTENSIONS: Readonly<Record<string, SourceFormat>> = {
  xlf: 'xliff',
  xliff: 'xliff',
  po: 'gettext',
  pot: 'gettext',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  arb: 'json',
  xml: 'android',
  strings: 'apple-strings',
  stringsdict: 'stringsdict',
  html: 'html',
  htm: 'html',
  md: 'markdown',
  mdx: 'markdown',
  markdown: 'markdown',
};

/** Returns the format of a file by its name. Both versions of XLIFF are read alike, so it is `xliff` for both. */
export function formatOf(fileName: string): SourceFormat | undefined {
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** Refuses unpaired surrogates, which no file can hold. @throws {TranslationFileError} with each text that has one */
function requireWellFormed({ segments }: TranslationFile): void {
  const faults = segments.flatMap(({ id, customId = '', taskId = '', content, notes, translation }, index) => {
    const texts = [content, customId, taskId, translation?.content ?? '', ...notes];
    if (texts.every((text) => text.isWellFormed())) return [];
    const detail = `Segment ${id} has a text with an unpaired surrogate, which no file can hold.`;
    return [{ place: { pointer: `/segments/${index}` }, code: 'ill-formed-unicode', detail } as const];
  });
  if (faults.length > 0) throw new TranslationFileError(faults);
}
