import * as z from 'zod/mini';
import { rule, text } from '../../contract/fields.ts';
import { Problem } from '../../contract/problem.ts';

/** The schema of a whole number. It accepts text too, because an index in CSV contains numbers as text. */
const wholeNumber = z.pipe(z.coerce.string(), z.pipe(z.string().check(z.regex(/^\d{1,15}$/)), z.transform(Number)));

/** The position of a command in a manifest. An entry is a line that is not blank. */
export const Entry = z.strictObject({
  /** The number of the entry, from 1. */
  entry: wholeNumber,
  /** The number of the line as an editor shows it, from 1. */
  line: wholeNumber,
  /** The position of the line's first byte in the manifest. */
  offset: wholeNumber,
  /** The length of the line, in bytes. */
  bytes: wholeNumber,
  /** The number of the entry among the entries with an equal command, from 1. */
  occurrence: wholeNumber,
});
export type Entry = Readonly<z.infer<typeof Entry>>;

/** A range of bytes in a manifest. */
export type ByteRange = Pick<Entry, 'offset' | 'bytes'>;

/**
 * The length limit of a run's name. It is that of an S3 key: if the input of an execution names no run, the manifest's
 * key becomes the name.
 */
const MAX_RUN_CHARACTERS = 1_024;

/**
 * The schema of a run's name. If a manifest is run again under another name, every line without an `idempotencyKey`
 * runs again.
 */
export const RunName = text(MAX_RUN_CHARACTERS).check(
  rule('empty', 'The name of a run must not be empty.', (name) => name.length > 0),
);

/** A manifest in a bucket, with the ETag of the version that the run found at its start. */
export const ObjectVersion = z.strictObject({ key: z.string(), etag: z.string() });
export type ObjectVersion = z.infer<typeof ObjectVersion>;

/** Reads the bytes of a manifest in parts, because a manifest may be larger than the memory. */
export interface ManifestFile {
  /** Reads the whole file. @throws {Problem} `manifestChanged` if the file has changed since it was opened */
  chunks(): AsyncIterable<Uint8Array>;
  /** Reads a range of the file. @throws {Problem} `manifestChanged` if the file has changed since it was opened */
  read(range: ByteRange): Promise<Uint8Array>;
}

/** Returns the problem of a manifest that has changed during its run: the positions of its entries are now wrong. */
export function manifestChanged(): Problem {
  return new Problem('invalid-parameter', {
    detail:
      'The manifest was changed during the run. Run it again under the same run name: completed lines do not run again.',
  });
}
