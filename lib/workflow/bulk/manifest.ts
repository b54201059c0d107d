import * as z from 'zod/mini';
import { rule, text } from '../../contract/fields.ts';
import { Problem } from '../../contract/problem.ts';

/** Numbers are text in an index that is CSV. */
const wholeNumber = z.pipe(z.coerce.string(), z.pipe(z.string().check(z.regex(/^\d{1,15}$/)), z.transform(Number)));

/** The position of a command in a manifest. */
export const Entry = z.strictObject({
  /** Its number among the entries, from 1. Blank lines are not entries. */
  entry: wholeNumber,
  /** Its line as an editor shows it, from 1. */
  line: wholeNumber,
  offset: wholeNumber,
  bytes: wholeNumber,
  /** Its number among the entries with the same content, from 1. */
  occurrence: wholeNumber,
});
export type Entry = Readonly<z.infer<typeof Entry>>;

/** A range of a file. */
export type ByteRange = Pick<Entry, 'offset' | 'bytes'>;

/** An object's key may be the name of a run. */
const MAX_RUN_CHARACTERS = 1_024;

/** The name of a run. Under another name, every line is new. */
export const RunName = text(MAX_RUN_CHARACTERS).check(
  rule('empty', 'The name of a run must not be empty.', (name) => name.length > 0),
);

/** A manifest in a bucket, in the version that was found before the run. */
export const ObjectVersion = z.strictObject({ key: z.string(), etag: z.string() });
export type ObjectVersion = z.infer<typeof ObjectVersion>;

/** Reads the bytes of a manifest, which may be larger than the memory. */
export interface ManifestFile {
  /** Reads the whole file in order. @throws {Problem} as `read` does */
  chunks(): AsyncIterable<Uint8Array>;
  /** @throws {Problem} `manifestChanged` if the file has changed since it was opened */
  read(range: ByteRange): Promise<Uint8Array>;
}

/** The manifest has changed since its entries were counted, so their positions are wrong. */
export function manifestChanged(): Problem {
  return new Problem('invalid-parameter', { detail: 'The manifest was changed during the run.' });
}
