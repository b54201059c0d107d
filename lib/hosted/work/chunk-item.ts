import * as z from 'zod/mini';
import { companyPartition, paddedId } from '../../idempotency/project-item.ts';
import type { Item, Key, Storage, Write } from '../../storage/port.ts';
import { encodeJson, JsonPayload, readJson } from './json-payload.ts';
import { untranslated, withStatuses } from './status-text.ts';

/** A number for some slots of a chunk, by their offsets in the chunk. */
const ByOffset = <S extends z.core.$ZodType>(value: S) => z.record(z.string(), value);

/** The schema of the data of a chunk: the translations of some hundred segments into one language. */
const ChunkData = z.strictObject({
  statuses: z.string(),
  /** The versions of translations that were changed more than once. A translation starts with version 1. */
  versions: ByOffset(z.int()),
  /** The reason for each slot that an engine could not translate. */
  problems: ByOffset(z.string()),
  /** The payload is the JSON of `ChunkContents`. */
  payload: JsonPayload,
});
type ChunkData = z.infer<typeof ChunkData>;

/** The schema of a chunk's payload: the content of each translation, by its offset in the chunk. */
const ChunkContents = z.array(z.tuple([z.int(), z.string()]));

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
}

/** A change of a slot. */
export interface SlotChange {
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

/** Makes a chunk without translations. */
export function emptyChunk(key: Key, slots: number): TranslationChunk {
  return { key, item: undefined, data: { statuses: untranslated(slots), versions: {}, problems: {} } };
}

/** Parses the item of a chunk. */
export function chunkOf(item: Item): TranslationChunk {
  const { partition, sort } = item;
  return { key: { partition, sort }, item, data: ChunkData.parse(item.data) };
}

/** Returns the index of the chunk in its language, from its key. */
export function chunkIndexOf({ key }: TranslationChunk): number {
  return Number(key.sort.slice(-4));
}

/** Reads the contents of a chunk by their offsets; `undefined` if the chunk has changed since it was read. */
export async function readContents(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item }: TranslationChunk,
): Promise<Map<number, string> | undefined> {
  if (!item) return new Map();
  const read = await readJson(storage, item, ChunkData.parse(item.data).payload);
  return read && new Map(ChunkContents.parse(read.value));
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
  contents: ReadonlyMap<number, string>,
  changes: ReadonlyMap<number, SlotChange>,
): Promise<Write> {
  const kept = new Map(contents);
  const [versions, problems] = [{ ...data.versions }, { ...data.problems }];
  for (const [offset, { version, content, problem }] of changes) {
    if (content === undefined) kept.delete(offset);
    else kept.set(offset, content);
    delete versions[offset];
    delete problems[offset];
    if (version > 1) versions[offset] = version;
    if (problem !== undefined) problems[offset] = problem;
  }
  const statuses = withStatuses(data.statuses, new Map([...changes].map(([offset, { status }]) => [offset, status])));
  const { payload, bytes } = await encodeJson([...kept].sort(([one], [other]) => one - other));
  const written = { key, data: { statuses, versions, problems, payload } satisfies ChunkData, bytes };
  return item
    ? { kind: 'replace', version: item.version, drops: item.payload, ...written }
    : { kind: 'insert', ...written };
}
