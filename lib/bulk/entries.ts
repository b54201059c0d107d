import { createHash, type Hash } from 'node:crypto';
import { readColumns } from './csv.ts';
import type { Entry, Format, Manifest, ManifestFile, Place } from './manifest.ts';
import { csvRecords } from './split/csv-records.ts';
import { jsonEntries } from './split/json-entries.ts';
import { jsonLines } from './split/json-lines.ts';

const SPLITTERS: Readonly<Record<Format, (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Place>>> = {
  jsonl: jsonLines,
  json: jsonEntries,
  csv: csvRecords,
};

/** More than any header has that names its columns. What is longer may be the whole file, where a quote has no end. */
const MOST_HEADER_BYTES = 1_000;

/**
 * Reads a manifest once, before anything of it is carried out.
 * @param each is given every entry
 * @throws {Problem} `malformed-json`, `invalid-parameter` where nobody can tell what its entries are
 */
export async function scan(file: ManifestFile, format: Format, each: (entry: Entry) => void): Promise<Manifest> {
  const hash = createHash('sha256');
  const places = SPLITTERS[format](hashing(file.chunks(), hash));
  const columns = format === 'csv' ? await columnsOf(file, places) : undefined;
  for await (const entry of numbered(places)) each(entry);
  return { sha256: hash.digest('hex'), format, ...(columns && { columns }) };
}

/** The entries of a manifest that was scanned. */
export async function* entriesOf(file: ManifestFile, { format }: Manifest): AsyncGenerator<Entry> {
  const places = SPLITTERS[format](file.chunks());
  if (format === 'csv') await places.next();
  yield* numbered(places);
}

async function columnsOf(file: ManifestFile, places: AsyncGenerator<Place>): Promise<string[]> {
  const { value: header } = await places.next();
  if (!header) return readColumns(new Uint8Array());
  return readColumns(await file.read({ ...header, bytes: Math.min(header.bytes, MOST_HEADER_BYTES) }));
}

async function* numbered(places: AsyncGenerator<Place>): AsyncGenerator<Entry> {
  let entry = 0;
  for await (const place of places) yield { entry: ++entry, ...place };
}

async function* hashing(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
