import { parseJson } from '../contract/json.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { type Command, readCommand } from '../service/commands/command.ts';
import { recordCommand } from './csv.ts';
import type { Entry, Format, Manifest, ManifestFile } from './manifest.ts';

/** The most that an entry may have, before it is read: what a body may; in CSV every quote of it is doubled. */
const MOST_BYTES: Readonly<Record<Format, number>> = {
  jsonl: LIMITS.bodyBytes,
  json: LIMITS.bodyBytes,
  csv: 2 * LIMITS.bodyBytes,
};

/**
 * Reads the command of an entry.
 * @throws {Problem} `too-large`, `malformed-json`, `invalid-parameter` with every fault
 */
export async function commandOf(file: ManifestFile, manifest: Manifest, entry: Entry): Promise<Command> {
  const most = MOST_BYTES[manifest.format];
  if (entry.bytes > most) throw new Problem('too-large', { detail: `The entry has more than ${most} bytes.` });
  const bytes = await file.read(entry);
  return readCommand(manifest.format === 'csv' ? recordCommand(bytes, manifest.columns ?? []) : parseJson(bytes));
}
