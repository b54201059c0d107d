import { countOf } from '../../lib/contract/count.ts';
import type { SegueClient } from '../client/segue-client.ts';
import { formatOf } from '../files/codecs.ts';
import { decodeFile } from '../files/decode.ts';
import { type FileFault, type FileFaultCode, TranslationFileError } from '../files/file-fault.ts';
import type { TranslationsReader } from '../files/project-translations.ts';
import type { SourceFormat } from '../files/source-file.ts';
import { type FaultyFile, formatFaults } from './faults-in-file.ts';
import { escapeControls, UsageError } from './io.ts';
import { counted, sayRead } from './progress-line.ts';

/** How many faults of a file are printed. */
const MAX_FAULTS = 100;

/** Returns the format of a file by its name. @throws {CliError} if the name does not tell, or not one of these */
export function formatOfFile<F extends SourceFormat>(path: string, formats: readonly F[]): F {
  const found = formatOf(path);
  const format = formats.find((name) => name === found);
  if (format) return format;
  const message =
    found === undefined
      ? `the name of the file does not tell its format: give --format ${formats.join('|')}`
      : `${path} is a file in ${found}; this command needs one in ${formats.join(', ')}`;
  throw new UsageError(message);
}

/** Returns a client that says how many segments it has read. */
export function counting(client: SegueClient, say: (text: string) => void): TranslationsReader {
  return {
    getProject: (id) => client.getProject(id),
    eachSegment: (project, options) => counted(client.eachSegment(project, options), (count) => say(sayRead(count))),
  };
}

/** Returns a file as faults are shown in it. */
export function faultyFile(path: string, bytes: Uint8Array): FaultyFile {
  return { path, text: textOf(bytes) };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeFile(bytes).text;
  } catch (error) {
    if (error instanceof TranslationFileError) return undefined;
    throw error;
  }
}

/** What a command does with a file, for the text that it did nothing. */
export type FileEffect = 'created' | 'changed' | 'written';

/**
 * Does some work with a translation file.
 * @param done what the work does; if the file has faults, the error says that nothing was done
 * @param advice what the options of the command can do about faults
 * @throws {CliError} if the file has faults; it shows each in the file
 */
export async function reportFaults<T>(
  file: FaultyFile,
  done: FileEffect,
  work: () => Promise<T>,
  advice: Readonly<Partial<Record<FileFaultCode, string>>> = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TranslationFileError)) throw error;
    const { faults } = error;
    const shown = faults.slice(0, MAX_FAULTS).map(({ place, code, detail }) => {
      return { place, message: [`${code}  ${detail}`, ...(advice[code] ? [advice[code]] : [])].join(' ') };
    });
    throw new UsageError(`the file has ${countOf(faults.length, 'fault')}: nothing was ${done}`, {
      cause: error,
      faults: formatFaults(file, shown),
    });
  }
}

/** Formats a warning of a file. @param place the formatted place */
export function formatWarning(place: string, { code, detail }: FileFault): string {
  return `${place}warning: ${code}  ${escapeControls(detail)}\n`;
}
