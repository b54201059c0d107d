import { InvalidArgumentError } from 'commander';
import { formatOf } from '../lib/client/files/codecs.ts';
import { decodeFile } from '../lib/client/files/decode.ts';
import { TranslationFileError } from '../lib/client/files/file-fault.ts';
import type { SourceFormat } from '../lib/client/files/source-file.ts';
import { countOf } from '../lib/contract/count.ts';
import { type FaultyFile, formatFaults } from './faults-in-file.ts';
import { CliError } from './io.ts';

/** How many faults of a file are printed. */
const MAX_FAULTS = 100;

/** Returns a parser of the option `--format`. */
export function formatParser<F extends SourceFormat>(formats: readonly F[]): (text: string) => F {
  return (text) => {
    const format = formats.find((name) => name === text);
    if (format) return format;
    throw new InvalidArgumentError(`The format must be one of ${formats.join(', ')}.`);
  };
}

/** Returns the format of a file by its name. @throws {CliError} if the name does not tell, or not one of these */
export function formatOfFile<F extends SourceFormat>(path: string, formats: readonly F[]): F {
  const found = formatOf(path);
  const format = formats.find((name) => name === found);
  if (format) return format;
  const message =
    found === undefined
      ? `the name of the file does not tell its format: give --format ${formats.join('|')}`
      : `${path} is a file in ${found}; this command needs one in ${formats.join(', ')}`;
  throw new CliError(message, { exitCode: 2 });
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

/**
 * Does some work with a translation file.
 * @param done what was not done if the file has faults
 * @throws {CliError} if the file has faults; it shows each in the file
 */
export async function reportFaults<T>(
  file: FaultyFile,
  done: 'created' | 'written',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TranslationFileError)) throw error;
    const { faults } = error;
    const shown = faults.slice(0, MAX_FAULTS).map(({ place, code, detail }) => {
      return { place, message: `${code}  ${detail}` };
    });
    throw new CliError(`the file has ${countOf(faults.length, 'fault')}: nothing was ${done}`, {
      exitCode: 2,
      cause: error,
      faults: formatFaults(file, shown),
    });
  }
}
