import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';

/** What a manifest is written in: JSON Lines, a JSON array, or CSV with a header. */
export const FORMATS = ['jsonl', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** Where something stands in a file. */
export interface Place {
  /** The line that it begins on, from 1, as an editor counts. */
  readonly line: number;
  /** Its first byte, and how many it has. */
  readonly offset: number;
  readonly bytes: number;
}

/** Where an entry stands in a manifest. In JSON Lines and CSV a line begins one entry at most, in an array it may begin several. */
export interface Entry extends Place {
  /** Which of the entries it is, from 1. */
  readonly entry: number;
}

/** What has to be known of a manifest before one of its entries can be read. */
export const Manifest = z.strictObject({
  /** Of all of its bytes, in hex: another manifest by one byte is another manifest. */
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  format: z.enum(FORMATS),
  /** Of CSV: what its header says. */
  columns: z.optional(z.array(z.string())),
});
export type Manifest = z.infer<typeof Manifest>;

/** A manifest in a bucket, as it was when it was looked at. */
export const ObjectVersion = z.strictObject({ key: z.string(), etag: z.string() });
export type ObjectVersion = z.infer<typeof ObjectVersion>;

/** The bytes of a manifest. They are always read anew: a manifest may be larger than any memory. */
export interface ManifestFile {
  /** All of them, in order. @throws {Problem} as `read` does */
  chunks(): AsyncIterable<Uint8Array>;
  /** @throws {Problem} `manifestChanged` where it is not the file any more that it was */
  read(place: Pick<Place, 'offset' | 'bytes'>): Promise<Uint8Array>;
}

/** A manifest is not what it was when its entries were counted: nobody knows what its lines are now. */
export function manifestChanged(): Problem {
  return new Problem('invalid-parameter', { detail: 'The manifest was changed while it was worked on.' });
}

/** The format that a file's name ends in; `undefined` where it says none. */
export function formatOf(name: string): Format | undefined {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  return ending === 'ndjson' ? 'jsonl' : FORMATS.find((format) => format === ending);
}

/** The key by which an entry is carried out once. No key that a caller sends over HTTP has a space in it. */
export function keyOf({ sha256 }: Manifest, { entry }: Pick<Entry, 'entry'>): string {
  return ['bulk', sha256, entry].join(' ');
}
