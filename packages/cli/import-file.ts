import { countOf } from '../../lib/contract/count.ts';
import type { WritableStatus } from '../../lib/contract/translation-status.ts';
import type { SegueClient } from '../client/segue-client.ts';
import type { FileFaultCode, Place } from '../files/file-fault.ts';
import { quoted } from '../files/losses.ts';
import type { HeldChange, PlannedChange } from '../files/plan-import.ts';
import { type ImportResult, importFile } from '../files/transfer.ts';
import { FILE_FORMATS, type FileFormat } from '../files/translation-file.ts';
import { findProjectId } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { placesOf } from './faults-in-file.ts';
import { readBytes } from './files.ts';
import { CliError, escapeControls } from './io.ts';
import { sayRead } from './progress-line.ts';
import { faultyFile, formatOfFile, formatWarning, reportFaults } from './translation-file.ts';

export interface ImportOptions {
  readonly project?: string;
  readonly customId?: true;
  readonly language?: string;
  readonly format?: FileFormat;
  readonly status?: WritableStatus;
  readonly dryRun?: true;
  readonly overwrite?: true;
  readonly reopen?: true;
  readonly changedTextsOnly?: true;
  readonly skipUnknown?: true;
  readonly url?: string;
}

interface Output extends Pick<CliContext, 'print' | 'err'> {
  /** Says what the command does. */
  readonly say: (text: string) => void;
}

/** Writes the translations in a file to their project. @throws {CliError} if the file has faults, or some were held back */
export async function importInto(
  client: SegueClient,
  path: string,
  { project, language: languageCode, url: _, ...options }: ImportOptions,
  { print, err, say }: Output,
): Promise<void> {
  const format = options.format ?? formatOfFile(path, FILE_FORMATS);
  const file = await readBytes(path);
  const projectId = project === undefined ? undefined : await findProjectId(client, project, options);
  const shownFile = faultyFile(path, file);
  const progress = {
    onRead: (count: number) => say(sayRead(count)),
    onSend: (count: number) => say(`Writing translations: ${count}`),
  };
  const result = await reportFaults(
    shownFile,
    'written',
    () => importFile(client, file, { ...options, ...progress, format, projectId, languageCode }),
    ADVICE,
  );
  const placeOf = placesOf(shownFile);
  const listed = options.dryRun ? result.changes.map((change) => formatChange(placeOf, change)) : [];
  for (const warning of result.warnings) err(formatWarning(placeOf(warning.place), warning));
  if (result.warnings.some(({ code }) => code === 'markup-lost')) err(IN_MARKDOWN);
  for (const change of result.held) err(formatHeld(placeOf, change));
  print(result, listed.join('') + formatCounts(result, options.dryRun ?? false));
  requireNoneHeld(result);
}

const LEAVES_OUT = 'To leave it out, add --skip-unknown.';
/** What the options of this command can do about faults of a file. */
const ADVICE: Readonly<Partial<Record<FileFaultCode, string>>> = {
  'missing-language': 'Add --language <code>.',
  'missing-column': 'The column of translations may also be named by --language <code>.',
  'unknown-segment': LEAVES_OUT,
  'source-differs': LEAVES_OUT,
};

const IN_MARKDOWN =
  'In a Markdown file, the text of a segment stays in the source language if its translation lacks markup.\n';

/** Formats a place of the file. */
type PlaceOf = (place: Place) => string;

function formatChange(placeOf: PlaceOf, change: PlannedChange): string {
  return `${placeOf(change.place)}segment ${change.segmentId} ${change.languageCode}\n${formatTexts(change)}`;
}

function formatHeld(placeOf: PlaceOf, change: HeldChange): string {
  return `${formatChange(placeOf, change)}  held back: ${REASONS[change.reason]}\n`;
}

const REASONS: Readonly<Record<HeldChange['reason'], string>> = {
  changed: 'somebody has changed the translation since the export',
  'no-base': 'the file does not say what it was exported from',
  'lower-status': 'the status would be lower',
};

function formatTexts({ present, content, status }: PlannedChange): string {
  const now = present ? `${present.status} ${quote(present.content)}` : 'untranslated';
  return `  project: ${now}\n  file:    ${status} ${quote(content)}\n`;
}

function quote(text: string): string {
  return escapeControls(quoted(text));
}

function formatCounts({ changes, held, unchanged, untranslated, unknown }: ImportResult, isDryRun: boolean): string {
  const counts = [
    `${changes.length} ${isDryRun ? 'to write' : 'written'}`,
    `${unchanged} unchanged`,
    `${untranslated} without a translation`,
    `${held.length} held back`,
    ...(unknown > 0 ? [`${unknown} of unknown segments or other texts`] : []),
  ];
  return `${counts.join(', ')}\n`;
}

/** Checks that nothing was held back. @throws {CliError} that says which options would write it */
function requireNoneHeld({ held }: ImportResult): void {
  if (held.length === 0) return;
  const options = [
    ...(held.some(({ reason }) => reason !== 'lower-status') ? ['--overwrite'] : []),
    ...(held.some(({ reason }) => reason === 'lower-status') ? ['--reopen'] : []),
  ];
  const translations = countOf(held.length, 'translation');
  const were = held.length === 1 ? 'was' : 'were';
  throw new CliError(`${translations} ${were} held back; to write them all the same, add ${options.join(' and ')}`);
}
