import type { NewProject } from '../client/index.ts';
import type { FileFault } from '../files/file-fault.ts';
import type { SourceFormat, SourceTexts } from '../files/source-file.ts';
import { type CheckedFile, type ChosenFile, faultsIn, isObject, type PlacedFault } from './project-file.ts';

/** Loads the formats of files. */
export const loadFormats = () => import('./file-formats.ts');

/** What the console calls the formats of files with texts. */
export const FORMAT_NAMES: Readonly<Record<SourceFormat, string>> = {
  xliff: 'XLIFF 1.2',
  xliff2: 'XLIFF 2.1',
  gettext: 'gettext (PO)',
  csv: 'CSV',
  json: 'JSON',
  android: 'Android strings (XML)',
  'apple-strings': 'Apple .strings',
  stringsdict: 'Apple .stringsdict',
  html: 'HTML',
  markdown: 'Markdown or MDX',
};

/** What a file of texts is read as. */
export interface TextsReading {
  readonly format: SourceFormat;
  readonly sourceLanguageCode?: string | undefined;
  readonly targetLanguageCodes?: readonly string[] | undefined;
}

/**
 * Checks a file of texts: its format here, the project that it makes at Segue.
 * @param projectOf returns the project of the texts
 * @param check asks Segue about the project
 * @throws {SegueError} if Segue could not check it
 */
export async function checkTexts<T>(
  file: ChosenFile,
  reading: TextsReading,
  projectOf: (source: SourceTexts) => unknown,
  check: (project: NewProject) => Promise<T>,
): Promise<CheckedFile<T>> {
  const { readTexts, TranslationFileError, faultyText } = await loadFormats();
  let source: SourceTexts | undefined;
  try {
    source = await readTexts(file.bytes, reading);
    const project = projectOf(source);
    if (source.texts.length === 0 || !isObject(project)) return { isValid: false, faults: [NO_TEXTS] };
    return { isValid: true, project, summary: await check(project) };
  } catch (error) {
    if (error instanceof TranslationFileError) {
      return { isValid: false, faults: error.faults.map(await placer(file)) };
    }
    const faults = faultsIn(error);
    if (faults.length === 0 || !source) throw error;
    const texts = source;
    const place = await placer(file);
    return {
      isValid: false,
      faults: faults.map(({ pointer, code, detail }) => {
        const { text } = faultyText(texts, pointer) ?? {};
        return { ...(text && place({ place: text.place, detail })), pointer, code, detail };
      }),
    };
  }
}

const NO_TEXTS = { line: 1, pointer: '', detail: 'The file has no texts to translate. Choose another file or format.' };

/** Returns a function that finds the line of a fault. A pointer is a place in a JSON file. */
export async function placer({
  text,
}: ChosenFile): Promise<(fault: Pick<FileFault, 'place' | 'detail'>) => PlacedFault> {
  const { jsonPlaces } = await loadFormats();
  const placeOf = jsonPlaces(text);
  return ({ place, detail }) =>
    'pointer' in place ? { pointer: place.pointer, detail, ...placeOf(place) } : { pointer: '', detail, ...place };
}
