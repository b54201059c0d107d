export { type Failure, type FailureType, type Fault, SegueError } from './error.ts';
export { type FileFault, type FileFaultCode, type Place, TranslationFileError } from './files/file-fault.ts';
export type { FilledFile, SkippedUnit } from './files/fill.ts';
export type { HeldChange, PlannedChange } from './files/plan-import.ts';
export type { ExportOptions, ImportOptions, ImportResult } from './files/transfer.ts';
export type { FileFormat } from './files/translation-file.ts';
export { type DocumentedProject, hasDocumentedTypes } from './responses.ts';
export { SegueClient } from './segue-client.ts';
export type * from './types.ts';
