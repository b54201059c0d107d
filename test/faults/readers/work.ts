import { isFileFormat, loadCodec, loadSourceCodec } from '../../../packages/files/codecs.ts';
import { TranslationFileError } from '../../../packages/files/file-fault.ts';
import { languagesIn, planImport } from '../../../packages/files/plan-import.ts';
import type { SourceFormat } from '../../../packages/files/source-file.ts';
import { fileOf, translated } from '../../../packages/files/test/files.ts';
import type { FileSegment, TranslationFile } from '../../../packages/files/translation-file.ts';

/** Everything that Segue does with the text of a file, or with a text in one. */
export type Work = (text: string) => void;

/** Does something with a file. A fault of the file is a result. */
function allowFaults<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TranslationFileError) return undefined;
    throw error;
  }
}

/** The project of a file, with a translation for each text. */
function projectOf(segments: readonly Partial<FileSegment>[]): TranslationFile {
  const file = fileOf(segments);
  return { ...file, project: { ...file.project, sourceLanguageCode: 'en' } };
}

/** Returns the work with a file: reading its texts, filling it in, reading its translations, and planning an import. */
export async function workWithFile(format: SourceFormat): Promise<Work> {
  const source = await loadSourceCodec(format);
  const codec = isFileFormat(format) ? await loadCodec(format) : undefined;
  return (text) => {
    const file = Buffer.from(text);
    const texts = allowFaults(() => source.texts(file, 'en', ['ar']).texts) ?? [];
    const segments = texts.map(({ customId, content }) => ({
      customId,
      content,
      translation: translated(`${content} x`),
    }));
    const project = projectOf(segments);
    allowFaults(() => source.fill(file, project));
    allowFaults(() => source.fill(file, { ...project, languageCode: 'ar' }));
    const parsed = codec && allowFaults(() => codec.read(file));
    if (!parsed) return;
    languagesIn(parsed);
    allowFaults(() => planImport(parsed, [project], { languageCode: 'de-DE' }));
    allowFaults(() => planImport(parsed, [project]));
  };
}

/** Returns the work with a translation that is filled into a file, whose text is `Hello`. */
export async function workWithTranslation(format: SourceFormat, file: string): Promise<Work> {
  const source = await loadSourceCodec(format);
  const bytes = Buffer.from(file);
  const texts = source.texts(bytes, 'en').texts;
  return (text) => {
    const segments = texts.map(({ customId, content }) => ({ customId, content, translation: translated(text) }));
    allowFaults(() => source.fill(bytes, projectOf(segments)));
  };
}

/** Returns the work with a text of a project: exporting it in a format, importing it, and filling in the export. */
export async function workWithExport(format: SourceFormat): Promise<Work> {
  if (!isFileFormat(format)) return () => {};
  const codec = await loadCodec(format);
  return (text) => {
    const file = fileOf([{ content: text, notes: [text], customId: text, translation: translated(text) }, {}]);
    const written = allowFaults(() => codec.write(file));
    if (written === undefined) return;
    const parsed = allowFaults(() => codec.read(written));
    if (parsed) planImport(parsed, [fileOf([{ content: text, translation: translated(`${text} x`) }])]);
    const empty = allowFaults(() => codec.write(fileOf([{ content: text }])));
    allowFaults(() => codec.fill(Buffer.from(empty ?? ''), file));
  };
}
