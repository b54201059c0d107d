import { TranslationFileError } from './file-fault.ts';
import type { FilledFile } from './fill.ts';
import type { FileFormat, ParsedFile, TranslationFile } from './translation-file.ts';

/** What Segue can do with a format. */
export interface FileCodec {
  write(file: TranslationFile): string;
  /** @throws {TranslationFileError} if the file cannot be read */
  read(file: Uint8Array | string): ParsedFile;
  /**
   * Writes translations into a file of other origin. Absent if the format has no such files.
   * @throws {TranslationFileError} if the file cannot be read, or belongs to another project or language
   */
  fill?(file: Uint8Array, translations: TranslationFile): FilledFile;
}

/** Each format is loaded when it is first used. */
const CODECS: Readonly<Record<FileFormat, () => Promise<FileCodec>>> = {
  async xliff() {
    const { fillXliff, readXliff, writeXliff1 } = await import('./xliff/xliff.ts');
    return { write: writeXliff1, read: readXliff, fill: fillXliff };
  },
  async xliff2() {
    const { fillXliff, readXliff, writeXliff2 } = await import('./xliff/xliff.ts');
    return { write: writeXliff2, read: readXliff, fill: fillXliff };
  },
  async gettext() {
    const { fillGettext, readGettext, writeGettext } = await import('./gettext/gettext.ts');
    return { write: writeGettext, read: readGettext, fill: fillGettext };
  },
  async csv() {
    const { readCsv, writeCsv } = await import('./csv.ts');
    return { write: writeCsv, read: readCsv };
  },
  async json() {
    const { readJson, writeJson } = await import('./json.ts');
    return { write: writeJson, read: readJson };
  },
};

/** Loads a format. */
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

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  xlf: 'xliff',
  xliff: 'xliff',
  po: 'gettext',
  pot: 'gettext',
  csv: 'csv',
  json: 'json',
};

/** Returns the format of a file by its name. Both versions of XLIFF are read alike, so it is `xliff` for both. */
export function formatOf(fileName: string): FileFormat | undefined {
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
