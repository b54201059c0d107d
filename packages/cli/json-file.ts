import { parseJson } from '../../lib/contract/json.ts';
import type { JsonReading } from '../../lib/contract/json-text.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { formatProblemFaults } from './faults-in-file.ts';
import { readBytes } from './files.ts';
import { UsageError } from './io.ts';

/** A JSON file that a command reads. */
interface JsonFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** What the file has, such as `sample`. */
  readonly content: string;
}

/**
 * Parses a JSON file.
 * @param parse by default parses strict JSON
 * @throws {CliError} that shows the fault in the file
 */
export function parseJsonFile(
  { path, bytes, content }: JsonFile,
  parse: (bytes: Uint8Array) => unknown = (json) => parseJson(json, { name: content }),
): unknown {
  try {
    return parse(bytes);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const file = { path, text: new TextDecoder().decode(bytes) };
    const faults = formatProblemFaults(file, error.occurrence.errors ?? [], { whole: `the ${content}` });
    throw new UsageError(error.message, { cause: error, faults });
  }
}

/** Reads a JSON file. @throws {CliError} if it cannot be read, or is not JSON */
export async function readJsonFile(
  path: string,
  content: string,
  reading: Omit<JsonReading, 'name'> = {},
): Promise<unknown> {
  const bytes = await readBytes(path);
  return parseJsonFile({ path, bytes, content }, (json) => parseJson(json, { ...reading, name: content }));
}
