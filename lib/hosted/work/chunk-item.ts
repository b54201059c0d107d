import * as z from 'zod/mini';
import { companyPartition, paddedId } from '../../idempotency/project-item.ts';
import { type ByteText, bytesIn, byteText, jsonTexts } from '../../service/byte-text.ts';
import type { Item, Key, Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { decodePayload, encodePayload, JsonPayload, readPayload } from './json-payload.ts';
import { untranslated, withStatuses } from './status-text.ts';

/** A number for some slots of a chunk, by their offsets in the chunk. */
const ByOffset = <S extends z.core.$ZodType>(value: S) => z.record(z.string(), value);

/** The schema of the data of a chunk: the translations of some hundred segments into one language. */
const ChunkData = recordOf({
  statuses: z.string(),
  /** The versions of translations that were changed more than once. A translation starts with version 1. */
  versions: ByOffset(z.int()),
  /** The reason for each slot that an engine could not translate. */
  problems: ByOffset(z.string()),
  /** The payload is the text of `ChunkContents`. */
  payload: JsonPayload,
});
type ChunkData = z.infer<typeof ChunkData>;

/**
 * The contents of a chunk by their offsets: each is a JSON string, as answers contain it. A slot without a translation
 * has an empty text. The payload has a line for each slot.
 */
export type ChunkContents = readonly ByteText[];

/** The place of a chunk: a language and a chunk, both by their index in the project. */
export interface ChunkPlace {
  readonly language: number;
  readonly chunk: number;
}

/** A chunk, as it was read from the store. A chunk without an item has no translations. */
export interface TranslationChunk {
  readonly key: Key;
  readonly item: Item | undefined;
  readonly data: Omit<ChunkData, 'payload'>;
  /** The contents, if they were read together with the item. */
  readonly contents?: ChunkContents;
}

/** A change of a slot. */
export interface SlotChange {
  /** The offset of the slot in its chunk. */
  readonly offset: number;
  /** The character of the new status. */
  readonly status: string;
  /** The version of the translation; 0 if the slot becomes untranslated. */
  readonly version: number;
  /** The content of the translation; absent if the slot becomes untranslated. */
  readonly content?: string;
  /** Why an engine could not translate the segment. */
  readonly problem?: string;
}

/** Returns the prefix of the sort keys of all chunks of a project. */
export function chunkPrefix(projectId: number): string {
  return `translation/${paddedId(projectId)}/`;
}

/** Returns the prefix of the sort keys of a language's chunks. */
export function languagePrefix(projectId: number, language: number): string {
  return `${chunkPrefix(projectId)}${String(language).padStart(3, '0')}/`;
}

/** Returns the storage key of a chunk. */
export function chunkKey(companyId: string, projectId: number, { language, chunk }: ChunkPlace): Key {
  const sort = `${languagePrefix(projectId, language)}${String(chunk).padStart(4, '0')}`;
  return { partition: companyPartition(companyId), sort };
}

/** Reads a chunk without its contents. @param slots the number of slots in the chunk */
export async function readChunk(storage: Pick<Storage, 'read'>, key: Key, slots: number): Promise<TranslationChunk> {
  const item = await storage.read(key);
  return item ? chunkOf(item) : emptyChunk(key, slots);
}

/** Reads a chunk with its contents. @param slots the number of slots in the chunk */
export async function readWholeChunk(
  storage: Pick<Storage, 'readWithPayload'>,
  key: Key,
  slots: number,
): Promise<TranslationChunk> {
  const whole = await storage.readWithPayload(key);
  if (!whole) return emptyChunk(key, slots);
  const data = ChunkData.parse(whole.item.data);
  return { key, item: whole.item, data, contents: linesOf(decodePayload(data.payload, whole.bytes)) };
}

/** Makes a chunk without translations. */
export function emptyChunk(key: Key, slots: number): TranslationChunk {
  return { key, item: undefined, data: { statuses: untranslated(slots), versions: {}, problems: {} }, contents: [] };
}

/** Parses the item of a chunk. */
export function chunkOf(item: Item): TranslationChunk {
  const { partition, sort } = item;
  return { key: { partition, sort }, item, data: ChunkData.parse(item.data) };
}

/** Returns the index of the chunk in its language, from its key. */
export function chunkIndexOf({ sort }: Pick<Key, 'sort'>): number {
  return Number(sort.slice(-4));
}

const Statuses = recordOf({ statuses: z.string() });

/** Returns the statuses in the item of a chunk. A project may have 15,000 chunks, so the rest is not parsed. */
export function statusesIn({ data }: Item): string {
  return Statuses.parse(data).statuses;
}

/** Reads the contents of a chunk; `undefined` if the chunk has changed since it was read. */
export async function readContents(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item, contents }: TranslationChunk,
): Promise<ChunkContents | undefined> {
  if (contents || !item) return contents ?? [];
  const bytes = await readPayload(storage, item, ChunkData.parse(item.data).payload);
  return bytes && linesOf(bytes);
}

// JSON writes no line break inside a string.
function linesOf(bytes: Uint8Array): ChunkContents {
  return byteText(bytes).split('\n');
}

/** Returns the version of a translation; 0 if the slot is untranslated. */
export function versionAt({ data }: TranslationChunk, offset: number): number {
  const status = data.statuses[offset] ?? '0';
  return data.versions[offset] ?? (Number(status) > 0 ? 1 : 0);
}

/**
 * Makes the write that changes slots of a chunk.
 * @param contents the contents of the chunk, from `readContents`
 */
export async function chunkWrite(
  { key, item, data }: TranslationChunk,
  contents: ChunkContents,
  changes: readonly SlotChange[],
): Promise<Write> {
  const lines = Array.from({ length: data.statuses.length }, (_, offset) => contents[offset] ?? '');
  const changed = new Set(changes.map(({ offset }) => offset));
  const isKept = ([offset]: [string, unknown]) => !changed.has(Number(offset));
  const versions = Object.fromEntries(Object.entries(data.versions).filter(isKept));
  const problems = Object.fromEntries(Object.entries(data.problems).filter(isKept));
  const texts = jsonTexts(changes.map(({ content = '' }) => content));
  for (const [index, { offset, version, content, problem }] of changes.entries()) {
    lines[offset] = content === undefined ? '' : (texts[index] ?? '');
    if (version > 1) versions[offset] = version;
    if (problem !== undefined) problems[offset] = problem;
  }
  const statuses = withStatuses(data.statuses, changes);
  const { payload, bytes } = await encodePayload(bytesIn(`${lines.join('\n')}\n`));
  const written = { key, data: { ...data, statuses, versions, problems, payload } satisfies ChunkData, bytes };
  return item
    ? { kind: 'replace', version: item.version, drops: item.payload, ...written }
    : { kind: 'insert', ...written };
}
