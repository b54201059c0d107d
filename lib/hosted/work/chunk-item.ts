import * as z from 'zod/mini';
import { lazy } from '../../contract/lazy.ts';
import { companyPartition, paddedId } from '../../records/keys.ts';
import type { Item, Key, Storage } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { type Block, Blocks, blockAt, type ChunkContents, linesIn, placed, readBlock } from './content-blocks.ts';
import { decodePayload, JsonPayload, readPayload } from './json-payload.ts';
import { hasContent, type StatusText, UNTRANSLATED, unpackStatuses, untranslated } from './status-text.ts';

/** A number for some slots of a chunk, by their offsets in the chunk. */
const ByOffset = <S extends z.core.$ZodType>(value: S) => z.record(z.string(), value);

/** The schema of the data of a chunk: the translations of some hundred segments into one language. */
const ChunkData = recordOf(() => ({
  /** In the form of `packStatuses`. */
  statuses: z.string(),
  /** The versions of translations that were changed more than once. A translation starts with version 1. */
  versions: ByOffset(z.int()),
  /** The reason for each slot that an engine could not translate. */
  problems: ByOffset(z.string()),
  /** The tag or placeholder that the engine lost, for some of these slots. */
  lost: z.optional(ByOffset(z.string())),
  /** The payload has the contents, as `encodeLines` writes them; none if they are so many that blocks have them. */
  payload: JsonPayload,
  blocks: z.optional(Blocks),
  /** The slots whose translations are of an earlier content of their segment. */
  outdated: z.optional(ByOffset(z.literal(true))),
  /** The edition of the project's layout whose changes the chunk has; absent if 0. */
  edition: z.optional(z.int()),
}));
export type ChunkData = z.infer<typeof ChunkData>;

/** The place of a chunk: the id of a language, and the index of the chunk. */
export interface ChunkPlace {
  readonly languageId: number;
  readonly chunk: number;
}

/** A chunk, as it was read from the store. A chunk without an item has no translations. */
export interface TranslationChunk {
  readonly key: Key;
  readonly item: Item | undefined;
  readonly data: Omit<ChunkData, 'payload'> & Partial<Pick<ChunkData, 'payload'>>;
  /** Decodes the contents, if they were read together with the item, and no blocks have them. */
  readonly lines?: () => ChunkContents;
}

/** A change of a slot. */
export interface SlotChange {
  /** The offset of the slot in its chunk. */
  readonly offset: number;
  /** The character of the new status. */
  readonly status: string;
  /** The version of the translation; 0 if the slot becomes untranslated. */
  readonly version: number;
  /** The content of the translation; null if it stays as it is. Absent if the slot becomes untranslated. */
  readonly content?: string | null;
  /** Whether the translation is of an earlier content of the segment. */
  readonly isOutdated?: boolean;
  /** Why an engine could not translate the segment. */
  readonly problem?: string;
  /** The tag or placeholder that the engine lost. */
  readonly lost?: string | undefined;
}

/** Returns the prefix of the sort keys of all chunks of a project. */
export function chunkPrefix(projectId: number): string {
  return `translation/${paddedId(projectId)}/`;
}

/** Returns the prefix of the sort keys of a language's chunks. */
export function languagePrefix(projectId: number, languageId: number): string {
  return `${chunkPrefix(projectId)}${String(languageId).padStart(4, '0')}/`;
}

/** Returns the storage key of a chunk. */
export function chunkKey(companyId: string, projectId: number, { languageId, chunk }: ChunkPlace): Key {
  const sort = `${languagePrefix(projectId, languageId)}${String(chunk).padStart(4, '0')}`;
  return { partition: companyPartition(companyId), sort };
}

/** Reads a chunk without its contents. @param slots the number of slots in the chunk */
export async function readChunk(storage: Pick<Storage, 'read'>, key: Key, slots: number): Promise<TranslationChunk> {
  const item = await storage.read(key);
  return item ? chunkOf(item, slots) : emptyChunk(key, slots);
}

/** Reads a chunk with its contents. @param slots the number of slots in the chunk */
export async function readWholeChunk(
  storage: Pick<Storage, 'readWithPayload'>,
  key: Key,
  slots: number,
): Promise<TranslationChunk> {
  const whole = await storage.readWithPayload(key);
  if (!whole) return emptyChunk(key, slots);
  const chunk = chunkOf(whole.item, slots);
  const { payload, blocks } = chunk.data;
  if (blocks || !payload) return chunk;
  return { ...chunk, lines: lazy(() => linesIn(decodePayload(payload, whole.bytes))) };
}

/** Makes a chunk without translations. */
export function emptyChunk(key: Key, slots: number): TranslationChunk {
  return { key, item: undefined, data: { statuses: untranslated(slots), versions: {}, problems: {} } };
}

/** Parses the item of a chunk. @param slots the number of slots in the chunk, which may have become more */
export function chunkOf(item: Item, slots: number): TranslationChunk {
  const { partition, sort } = item;
  const data = ChunkData.parse(item.data);
  const statuses = unpackStatuses(data.statuses);
  const added = slots - statuses.length;
  const blocks = data.blocks && added > 0 ? ([...data.blocks, [added, 0, 0]] satisfies Blocks) : data.blocks;
  return {
    key: { partition, sort },
    item,
    data: { ...data, statuses: statuses.padEnd(slots, UNTRANSLATED), ...(blocks && { blocks }) },
  };
}

/** Returns the id of the language in the key of a chunk. */
export function languageIn({ sort }: Pick<Key, 'sort'>): number {
  return Number(sort.split('/')[2]);
}

/** Returns the index of the chunk in its language, from its key. */
export function chunkIndexOf({ sort }: Pick<Key, 'sort'>): number {
  return Number(sort.slice(-4));
}

const Statuses = recordOf(() => ({ statuses: z.string(), edition: z.optional(z.int()) }));

/**
 * Returns the statuses in the item of a chunk, and its edition. A project may have thousands of chunks, so the rest is not
 * parsed.
 */
export function statusesIn({ data }: Item, slots: number): { readonly statuses: StatusText; readonly edition: number } {
  const { statuses, edition = 0 } = Statuses.parse(data);
  return { statuses: unpackStatuses(statuses).padEnd(slots, UNTRANSLATED), edition };
}

/** The contents of one block, and the offset of its first slot. */
export interface BlockContents {
  readonly from: number;
  readonly lines: ChunkContents;
}

/**
 * Makes a function that reads the contents of the block that has a slot. It keeps the last block that it read. The
 * function returns `undefined` if the chunk has changed since it was read.
 */
export function contentsReader(
  storage: Pick<Storage, 'readWithPayload' | 'readPayloadRange'>,
  chunk: TranslationChunk,
): (offset: number) => Promise<BlockContents | undefined> {
  const blocks = blocksOf(chunk);
  let last: BlockContents | undefined;
  return async (offset) => {
    const block = blockAt(blocks, offset);
    if (!block) return undefined;
    if (last?.from === block.from) return last;
    const lines = chunk.data.blocks
      ? (await readBlock(storage, chunk.key, block))?.lines
      : await readLines(storage, chunk);
    last = lines && { from: block.from, lines };
    return last;
  };
}

/** Reads the lines of a chunk without blocks. */
export async function readLines(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item, data: { payload }, lines }: TranslationChunk,
): Promise<ChunkContents | undefined> {
  if (lines || !item || !payload) return lines?.() ?? [];
  const bytes = await readPayload(storage, item, payload);
  return bytes && linesIn(bytes);
}

/** Returns the blocks of a chunk. If it has none, the chunk itself is one. */
export function blocksOf({ data: { blocks, payload, statuses } }: TranslationChunk): readonly Block[] {
  return placed(blocks ?? [[statuses.length, 0, payload?.length ?? 0]]);
}

/** Returns the version of a translation; 0 if the slot is untranslated. */
export function versionAt({ data }: TranslationChunk, offset: number): number {
  return data.versions[offset] ?? firstVersion(data.statuses[offset]);
}

/** Returns the version that a slot has until its translation changes again. */
export function firstVersion(status: string | undefined): number {
  return hasContent(status) ? 1 : 0;
}
