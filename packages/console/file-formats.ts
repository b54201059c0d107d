/* The formats of files, among them JSON with the places of its values. They are a script of their own, which the console loads when a user chooses or wants a file. */
import { config } from 'zod/mini';

export { jsonPlaces } from '../../lib/contract/json-places.ts';
export { parseJsonText } from '../../lib/contract/json-text.ts';
export { Problem } from '../../lib/contract/problem.ts';
export { formatOf, isFileFormat } from '../files/codecs.ts';
export { decodeFile } from '../files/decode.ts';
export { type Place, TranslationFileError } from '../files/file-fault.ts';
export { SKIP_REASONS } from '../files/fill.ts';
export { SOURCE_FORMATS, type SourceFormat, type SourceTexts } from '../files/source-file.ts';
export { faultyText, fieldsFrom, projectWithTexts, segmentOf } from '../files/texts-project.ts';
export { exportFile, fillFile, importFile, readTexts } from '../files/transfer.ts';
export { FILE_FORMATS, type FileFormat } from '../files/translation-file.ts';

// The policy of the page forbids making functions of text, and a try is an error on the browser's console.
config({ jitless: true });
