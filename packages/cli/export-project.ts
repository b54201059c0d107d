import { countOf } from '../../lib/contract/count.ts';
import type { SegueClient } from '../client/segue-client.ts';
import { isFileFormat } from '../files/codecs.ts';
import { type FileFault, inFileOrder, TranslationFileError } from '../files/file-fault.ts';
import { type FilledFile, SKIP_REASONS } from '../files/fill.ts';
import { BILINGUAL_FORMATS, SOURCE_FORMATS, type SourceFormat } from '../files/source-file.ts';
import { exportFile, fillFile } from '../files/transfer.ts';
import { FILE_FORMATS, type FileFormat } from '../files/translation-file.ts';
import { findProjectId } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { collectProblems } from './engine-problems.ts';
import { type FaultyFile, placesOf } from './faults-in-file.ts';
import { readBytes, replaceFile, writeBytes } from './files.ts';
import { escapeControls, UsageError } from './io.ts';
import { counting, faultyFile, formatOfFile, formatWarning, reportFaults } from './translation-file.ts';

export interface ExportOptions {
  readonly language: string;
  readonly format?: SourceFormat;
  readonly out?: string;
  readonly into?: string;
  readonly task?: string;
  readonly customId?: true;
  readonly bom?: true;
  readonly overwrite?: true;
  readonly reopen?: true;
  readonly url?: string;
}

const EXTENSIONS: Readonly<Record<FileFormat, string>> = {
  xliff: 'xlf',
  xliff2: 'xlf',
  gettext: 'po',
  csv: 'csv',
  json: 'json',
};

interface Output extends Pick<CliContext, 'print' | 'err'> {
  /** Says what the command does. */
  readonly say: (text: string) => void;
}

/** Writes the translations of a project into a new file, or into the file that the project was made from. */
export async function exportProject(
  client: SegueClient,
  project: string,
  options: ExportOptions,
  output: Output,
): Promise<void> {
  const { into } = options;
  if (into === undefined) await exportNew(client, project, options, output);
  else await fillIn(client, project, { ...options, into }, output);
}

async function exportNew(
  client: SegueClient,
  project: string,
  options: ExportOptions,
  { print, err, say }: Output,
): Promise<void> {
  const { language: languageCode, task: taskId } = options;
  const format = options.format ?? (options.out === undefined ? 'xliff' : formatOfFile(options.out, FILE_FORMATS));
  if (!isFileFormat(format)) {
    throw new UsageError(`a file in ${format} is made from the file of the project: give that file with --into`);
  }
  const id = await findProjectId(client, project, options);
  const path = options.out ?? `project-${id}.${languageCode}.${EXTENSIONS[format]}`;
  const warnings: string[] = [];
  const onWarning = (warning: FileFault) => warnings.push(formatWarning(`${path}: `, warning));
  const reader = collectProblems(counting(client, say));
  const text = await exportFile(reader, id, { languageCode, format, taskId, onWarning }).catch(notExported);
  await writeBytes(path, options.bom ? `\ufeff${text}` : text, { overwrite: options.overwrite ?? false });
  for (const line of [...warnings, ...reader.lines()]) err(line);
  print({ file: path, format }, `Wrote ${path}\n`);
}

/** @throws {CliError} that does not name a file, because there is none yet */
function notExported(error: unknown): never {
  if (!(error instanceof TranslationFileError)) throw error;
  throw new UsageError(`nothing was exported: ${error.message}`, { cause: error });
}

async function fillIn(
  client: SegueClient,
  project: string,
  { into, ...options }: ExportOptions & { readonly into: string },
  { print, err, say }: Output,
): Promise<void> {
  const { language: languageCode, task: taskId, reopen, format = formatOfFile(into, SOURCE_FORMATS) } = options;
  if (options.out === undefined && !BILINGUAL_FORMATS.includes(format)) {
    throw new UsageError(`${into} has the source texts: add --out <file> for the translations`);
  }
  const file = await readBytes(into);
  const id = await findProjectId(client, project, options);
  const shownFile = faultyFile(into, file);
  const reader = collectProblems(counting(client, say));
  const result = await reportFaults(shownFile, 'written', () =>
    fillFile(reader, id, file, { languageCode, format, taskId, reopen }),
  );
  if (options.out === undefined) await replaceFile(into, result.file);
  else await writeBytes(options.out, result.file, { overwrite: options.overwrite ?? false });
  for (const line of [...linesOf(shownFile, result), ...reader.lines()]) err(line);
  if (result.skipped.some(({ reason }) => reason === 'lower-status'))
    err('To replace finished translations, add --reopen.\n');
  const { filled, untranslated, skipped, warnings } = result;
  const path = options.out ?? into;
  print(
    { file: path, filled, untranslated, skipped: skipped.length, warnings: warnings.length },
    `Filled in ${countOf(filled, 'translation')}, left out ${skipped.length}, ${untranslated} untranslated: ${path}\n`,
  );
}

function linesOf(file: FaultyFile, { skipped, warnings }: FilledFile): string[] {
  const placeOf = placesOf(file);
  return inFileOrder([...skipped, ...warnings]).map((found) => {
    if ('code' in found) return formatWarning(placeOf(found.place), found);
    const { place, reason, detail = '' } = found;
    return `${placeOf(place)}${escapeControls(`${reason}  ${SKIP_REASONS[reason]} ${detail}`.trimEnd())}\n`;
  });
}
