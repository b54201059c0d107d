import { lazy } from '../../contract/lazy.ts';
import type { TranslationStatus } from '../../contract/translation-status.ts';
import { companyPartition } from '../../records/keys.ts';
import { jsonText } from '../../service/byte-text.ts';
import { eachItem, type Item, type Storage } from '../../storage/port.ts';
import {
  type BlockContents,
  type ChunkPlace,
  chunkIndexOf,
  chunkKey,
  chunkOf,
  contentsReader,
  emptyChunk,
  languagePrefix,
  readChunk,
  readWholeChunk,
  statusesIn,
  type TranslationChunk,
  versionAt,
} from './chunk-item.ts';
import { type Block, placed } from './content-blocks.ts';
import { type Edit, readEditContents, readEdits } from './edit-item.ts';
import { type StatusText, statusOf, untranslated, withStatuses } from './status-text.ts';
import type { WorkRecord } from './work-record.ts';

/** The part of a project that locates its translations. */
export interface ProjectSlots {
  readonly companyId: string;
  readonly id: number;
  /** The number of slots in each chunk. */
  readonly slots: readonly number[];
}

/** The translations of one chunk as they stand: those of the chunk, and over them those of the edits. */
export interface ChunkView {
  readonly chunk: TranslationChunk;
  /** The blocks that have the contents, except those of edits; none if the chunk itself has them. */
  readonly blocks: readonly Block[];
  /** The statuses of all slots. */
  readonly statuses: string;
  status(offset: number): TranslationStatus;
  /** Returns the version of a translation; 0 if the segment is untranslated. */
  version(offset: number): number;
  /** Returns why an engine could not translate a segment; null if none tried or it could. */
  problem(offset: number): string | null;
  /** Returns the tag or placeholder that the engine lost; null if it lost none. */
  lost(offset: number): string | null;
  /** Whether an edit has a translation that the chunk does not have yet. */
  isEdited(offset: number): boolean;
  /** Makes a reader of the contents, which keeps the last block that it read. */
  openContents(): ReadContents;
}

/**
 * Reads contents of slots that are in one block, and possibly others of it.
 * @param offsets in one block, at least one
 * @returns `undefined` if they have changed since the view was made
 */
export type ReadContents = (offsets: readonly number[]) => Promise<BlockContents | undefined>;

/** A translation in an edit. */
interface Edited {
  readonly edit: Edit;
  /** The index of the translation in the edit. */
  readonly index: number;
  readonly status: string;
  readonly version: number;
}

/** The translations of a project, as they stood when the view was opened. */
export interface TranslationView {
  /** The edits that are not folded yet, the oldest first. */
  readonly edits: readonly Edit[];
  at(place: ChunkPlace): Promise<ChunkView>;
  /** Reads a chunk together with its contents. */
  wholeAt(place: ChunkPlace): Promise<ChunkView>;
  /** Reads all chunks of a language, in order. */
  language(language: number): Promise<readonly ChunkView[]>;
  /**
   * Reads the statuses of all slots of a language, as one text.
   * @param chunks the chunks to read. The slots of the others are shown as untranslated
   */
  statuses(language: number, chunks?: ReadonlySet<number>): Promise<StatusText>;
  /** Returns the chunks of slots. @param wanted slots in ascending order */
  chunksOf(wanted: Iterable<number>): ReadonlySet<number>;
}

/** Up to this number of chunks of a language are read one by one. A page of a list has a hundred. */
const FEW_CHUNKS = 4;

/** Opens the view of a project's translations. Reads the edits first, so that an edit that is folded meanwhile counts. */
export async function openView(
  storage: Pick<Storage, 'read' | 'list' | 'readWithPayload' | 'readPayloadRange'>,
  { companyId, id, slots }: ProjectSlots,
  { edits: { first, next } }: Pick<WorkRecord, 'edits'>,
): Promise<TranslationView> {
  const edits = first < next ? await readEdits(storage, companyId, id) : [];
  const byPlace = new Map<string, Map<number, Edited>>();
  const starts = startsOf(slots);
  for (const edit of edits) {
    for (const [index, { language, slot, status, version }] of edit.translations.entries()) {
      const { chunk, offset } = placeOf(starts, slot);
      const name = `${language}/${chunk}`;
      const edited = byPlace.get(name) ?? new Map<number, Edited>();
      byPlace.set(name, edited.set(offset, { edit, index, status, version }));
    }
  }
  /** The statuses of each chunk without translations. There may be thousands of them, so their texts are shared. */
  const blank = lazy(() => slots.map(untranslated));
  const contentsOf = new Map(edits.map((edit) => [edit, lazy(() => readEditContents(storage, edit))]));

  /** @param stored the statuses of the chunk, and the function that parses the rest of it */
  function viewOf(stored: { statuses: StatusText; chunk: () => TranslationChunk }, place: ChunkPlace): ChunkView {
    const { chunk } = stored;
    // A folded edit may still be there. Its translations have the versions of the chunk, or older ones.
    const edited = [...(byPlace.get(`${place.language}/${place.chunk}`) ?? [])].filter(
      ([offset, { version }]) => version > versionAt(chunk(), offset),
    );
    const over = new Map(edited);
    const blocks = lazy(() => placed(chunk().data.blocks ?? []));
    const statuses = withStatuses(
      stored.statuses,
      edited.map(([offset, { status }]) => ({ offset, status })),
    );
    return {
      get chunk() {
        return chunk();
      },
      get blocks() {
        return blocks();
      },
      statuses,
      status: (offset) => statusOf(statuses[offset]),
      version: (offset) => over.get(offset)?.version ?? versionAt(chunk(), offset),
      problem: (offset) => (over.has(offset) ? null : (chunk().data.problems[offset] ?? null)),
      lost: (offset) => (over.has(offset) ? null : (chunk().data.lost?.[offset] ?? null)),
      isEdited: (offset) => over.has(offset),
      openContents() {
        const read = contentsReader(storage, chunk());
        return async (offsets) => {
          const part = await read(offsets[0] ?? 0);
          if (!part || !offsets.some((offset) => over.has(offset))) return part;
          const lines = [...part.lines];
          for (const offset of offsets) {
            const entry = over.get(offset);
            if (!entry) continue;
            const content = (await contentsOf.get(entry.edit)?.())?.[entry.index];
            if (content === undefined) return undefined;
            lines[offset - part.from] = jsonText(content);
          }
          return { from: part.from, lines };
        };
      },
    };
  }

  async function at(place: ChunkPlace): Promise<ChunkView> {
    const chunk = await readChunk(storage, chunkKey(companyId, id, place), slots[place.chunk] ?? 0);
    return viewOf(wholeOf(chunk), place);
  }

  /** Reads the items of a language's chunks, by their indexes. A chunk without translations has none. */
  async function itemsOf(language: number): Promise<ReadonlyMap<number, Item>> {
    const items = new Map<number, Item>();
    for await (const item of eachItem(storage, companyPartition(companyId), languagePrefix(id, language))) {
      items.set(chunkIndexOf(item), item);
    }
    return items;
  }

  function viewAt(place: ChunkPlace, item: Item | undefined): ChunkView {
    const count = slots[place.chunk] ?? 0;
    const chunk = () => (item ? chunkOf(item) : emptyChunk(chunkKey(companyId, id, place), count));
    return viewOf({ statuses: item ? statusesIn(item) : (blank()[place.chunk] ?? ''), chunk: lazy(chunk) }, place);
  }

  return {
    edits,
    at,
    async wholeAt(place) {
      const chunk = await readWholeChunk(storage, chunkKey(companyId, id, place), slots[place.chunk] ?? 0);
      return viewOf(wholeOf(chunk), place);
    },
    async language(language) {
      const items = await itemsOf(language);
      return slots.map((_, chunk) => viewAt({ language, chunk }, items.get(chunk)));
    },
    async statuses(index, chunks) {
      if (chunks && chunks.size <= FEW_CHUNKS) {
        const read = slots.map(async (_, chunk) =>
          chunks.has(chunk) ? (await at({ language: index, chunk })).statuses : blank()[chunk],
        );
        return (await Promise.all(read)).join('');
      }
      const items = await itemsOf(index);
      const texts = slots.map((_, chunk) => {
        const item = items.get(chunk);
        if (byPlace.has(`${index}/${chunk}`)) return viewAt({ language: index, chunk }, item).statuses;
        return item ? statusesIn(item) : blank()[chunk];
      });
      return texts.join('');
    },
    chunksOf: (wanted) => new Set(Array.from(offsetsByChunk(slots, wanted), ([chunk]) => chunk)),
  };
}

function wholeOf(chunk: TranslationChunk) {
  return { statuses: chunk.data.statuses, chunk: () => chunk };
}

/** Returns the first slot of each chunk. */
export function startsOf(slots: readonly number[]): number[] {
  let start = 0;
  return slots.map((count) => {
    start += count;
    return start - count;
  });
}

/** Yields the chunks of slots, each with the offsets of its slots. @param wanted slots in ascending order */
export function* offsetsByChunk(
  slots: readonly number[],
  wanted: Iterable<number>,
): Generator<readonly [chunk: number, offsets: readonly number[]], void> {
  let [chunk, start] = [0, 0];
  let offsets: number[] = [];
  for (const slot of wanted) {
    for (let count = slots[chunk]; count !== undefined && slot >= start + count; count = slots[chunk]) {
      if (offsets.length > 0) yield [chunk, offsets];
      offsets = [];
      start += count;
      chunk++;
    }
    offsets.push(slot - start);
  }
  if (offsets.length > 0) yield [chunk, offsets];
}

/** Returns the chunk of a slot, and the offset of the slot in it. */
export function placeOf(starts: readonly number[], slot: number): { readonly chunk: number; readonly offset: number } {
  const chunk = starts.findLastIndex((start) => start <= slot);
  return { chunk, offset: slot - (starts[chunk] ?? 0) };
}
