import * as z from 'zod/mini';
import { rule, text } from '../../contract/fields.ts';
import { Problem } from '../../contract/problem.ts';

/** Where something is in a file. */
export interface Place {
  /** The line that it begins on, from 1, as an editor counts. */
  readonly line: number;
  /** Its first byte, and its length. */
  readonly offset: number;
  readonly bytes: number;
}

/** Where a command is in a manifest. */
export interface Entry extends Place {
  /** Which of the entries it is, from 1. Blank lines are no entries. */
  readonly entry: number;
  /** Which of the entries with the same content it is, from 1. */
  readonly occurrence: number;
}

/** The longest name of a run: an object's key may be one. */
const MOST_RUN_CHARACTERS = 1_024;

/** The name of a run. Under another name, every line is new. */
export const RunName = text(MOST_RUN_CHARACTERS).check(
  rule('empty', 'The name of a run must not be empty.', (name) => name.length > 0),
);

/** A manifest in a bucket, as it was when it was looked at. */
export const ObjectVersion = z.strictObject({ key: z.string(), etag: z.string() });
export type ObjectVersion = z.infer<typeof ObjectVersion>;

/** The bytes of a manifest. They are always read again: a manifest may be larger than any memory. */
export interface ManifestFile {
  /** All of them, in order. @throws {Problem} as `read` does */
  chunks(): AsyncIterable<Uint8Array>;
  /** @throws {Problem} `manifestChanged` if the file has changed since it was opened */
  read(place: Pick<Place, 'offset' | 'bytes'>): Promise<Uint8Array>;
}

/** The manifest has changed since its lines were counted, so their places are no longer known. */
export function manifestChanged(): Problem {
  return new Problem('invalid-parameter', { detail: 'The manifest was changed during the run.' });
}
