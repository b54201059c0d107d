/** The files for translators' tools. They need Node; the client itself also runs in a browser. */
export { type FileFault, type FileFaultCode, type Place, TranslationFileError } from '../files/file-fault.ts';
export type { FilledFile, SkippedUnit } from '../files/fill.ts';
export type { HeldChange, PlannedChange } from '../files/plan-import.ts';
export type { SourceFormat, SourceText, SourceTexts } from '../files/source-file.ts';
export {
  type ExportOptions,
  exportFile,
  type FillOptions,
  fillFile,
  type ImportOptions,
  type ImportResult,
  importFile,
  readTexts,
} from '../files/transfer.ts';
export type { FileFormat } from '../files/translation-file.ts';
