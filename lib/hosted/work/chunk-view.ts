import { lazy } from '../../contract/lazy.ts';
import type { TranslationStatus } from '../../contract/translation-status.ts';
import { companyPartition } from '../../records/keys.ts';
import { jsonText } from '../../service/byte-text.ts';
import { eachItem, type Item, type Storage } from '../../storage/port.ts';
import { lastBegun } from '../last-begun.ts';
import type { Layout } from '../layout.ts';
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
  type SlotChange,
  statusesIn,
  type TranslationChunk,
  versionAt,
} from './chunk-item.ts';
import { type Block, placed } from './content-blocks.ts';
import { type Edit, readEditContents } from './edit-item.ts';
import { afterFate, fateOf, type StaleSlots, staleSlots } from './stale-slots.ts';
import { FAILED, hasContent, type StatusText, statusOf, untranslated, withStatuses } from './status-text.ts';
import type { LanguageWork } from './work-record.ts';

/** Some translations into one language as they stand, by their offsets. */
export interface Translations {
  /** The blocks that have the contents, except those of edits; none if one text has them all. */
  readonly blocks: readonly Block[];
  /** The statuses, one character for each. */
  readonly statuses: StatusText;
  status(offset: number): TranslationStatus;
  /** Returns the version of a translation; 0 if the segment was never translated. */
  version(offset: number): number;
  /** Whether the translation is of an earlier content of its segment. */
  isOutdated(offset: number): boolean;
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
 * Reads contents that are in one block, and possibly others of it.
 * @param offsets in one block, at least one
 * @returns `undefined` if they have changed since the view was made
 */
export type ReadContents = (offsets: readonly number[]) => Promise<BlockContents | undefined>;

/** How a translation differs from its chunk. */
type Differing = Pick<SlotChange, 'version' | 'isOutdated'>;

/** The translations of one chunk: those of the chunk, without what has become stale, and over them those of the edits. */
export interface ChunkView extends Translations {
  readonly chunk: TranslationChunk;
}

/** A translation in an edit, as it stands. */
interface Edited {
  readonly edit: Edit;
  /** The index of the translation in the edit. */
  readonly index: number;
  readonly status: string;
  readonly version: number;
  readonly isOutdated: boolean;
}

/** The translations of a project by their slots, as they stood when the view was opened. */
export interface ChunkViews {
  readonly stale: StaleSlots;
  at(place: ChunkPlace): Promise<ChunkView>;
  /** Reads a chunk together with its contents. */
  wholeAt(place: ChunkPlace): Promise<ChunkView>;
  /** Reads all chunks of a language, in order. */
  language(languageId: number): Promise<readonly ChunkView[]>;
  /**
   * Reads the statuses of all slots of a language, as one text.
   * @param chunks the chunks to read. The slots of the others are shown as untranslated
   */
  statuses(languageId: number, chunks?: ReadonlySet<number>): Promise<StatusText>;
}

/** Up to this number of chunks of a language are read one by one. A page of a list has a hundred. */
const FEW_CHUNKS = 4;

/** Where the translations are, and in which languages. */
interface Translated {
  readonly companyId: string;
  readonly projectId: number;
  readonly layout: Layout;
  readonly languages: readonly LanguageWork[];
}

/** Makes the views of a project's chunks. @param edits the edits that are not folded yet, the oldest first */
export function chunkViews(
  storage: Pick<Storage, 'read' | 'list' | 'readWithPayload' | 'readPayloadRange'>,
  { companyId, projectId, layout, languages }: Translated,
  edits: readonly Edit[],
): ChunkViews {
  const { slots } = layout;
  const starts = startsOf(slots);
  const stale = staleSlots(layout, languages, (chunk) => starts[chunk] ?? 0);
  const byPlace = editedByPlace(edits, layout, languages, starts);
  /** The statuses of each chunk without translations. There may be thousands of them, so their texts are shared. */
  const blank = lazy(() => slots.map(untranslated));
  const contentsOf = new Map(edits.map((edit) => [edit, lazy(() => readEditContents(storage, edit))]));

  /** @param stored the statuses and the edition of the chunk, and the function that parses the rest of it */
  function viewOf(
    stored: { readonly statuses: StatusText; readonly edition: number; readonly chunk: () => TranslationChunk },
    place: ChunkPlace,
  ): ChunkView {
    const { chunk } = stored;
    const settled = lazy(() => new Map(stale.changesOf(place, chunk()).map((change) => [change.offset, change])));
    const settledVersion = (offset: number) => settled().get(offset)?.version ?? versionAt(chunk(), offset);
    // A folded edit may still be there. Its translations have the versions of the chunk, or older ones.
    const edited = [...(byPlace.get(nameOf(place)) ?? [])].filter(
      ([offset, { version }]) => version > settledVersion(offset),
    );
    const over = new Map(edited);
    /** What is other than in the chunk, mostly nothing. */
    const differing = lazy(() =>
      settled().size + over.size > 0 ? new Map<number, Differing>([...settled(), ...over]) : undefined,
    );
    const blocks = lazy(() => placed(chunk().data.blocks ?? []));
    const statuses = withStatuses(
      stale.statusesOf(place, stored.statuses, stored.edition),
      edited.map(([offset, { status }]) => ({ offset, status })),
    );
    const isFailed = (offset: number) => statuses[offset] === FAILED;
    return {
      get chunk() {
        return chunk();
      },
      get blocks() {
        return blocks();
      },
      statuses,
      status: (offset) => statusOf(statuses[offset]),
      version: (offset) => differing()?.get(offset)?.version ?? versionAt(chunk(), offset),
      isOutdated: (offset) => differing()?.get(offset)?.isOutdated ?? chunk().data.outdated?.[offset] ?? false,
      problem: (offset) => (isFailed(offset) ? (chunk().data.problems[offset] ?? null) : null),
      lost: (offset) => (isFailed(offset) ? (chunk().data.lost?.[offset] ?? null) : null),
      isEdited: (offset) => over.has(offset),
      openContents() {
        const read = contentsReader(storage, chunk());
        return async (offsets) => {
          const part = await read(offsets[0] ?? 0);
          if (!part) return undefined;
          const isStale = (offset: number) => !hasContent(statuses[offset]) && part.lines[offset - part.from];
          if (!offsets.some((offset) => over.has(offset) || isStale(offset))) return part;
          const lines = [...part.lines];
          for (const offset of offsets) {
            const entry = over.get(offset);
            if (!entry) {
              if (isStale(offset)) lines[offset - part.from] = undefined;
              continue;
            }
            const content = (await contentsOf.get(entry.edit)?.())?.[entry.index];
            if (content === undefined) return undefined;
            lines[offset - part.from] = jsonText(content);
          }
          return { from: part.from, lines };
        };
      },
    };
  }

  /** Reads the items of a language's chunks, by their indexes. A chunk without translations has none. */
  async function itemsOf(languageId: number): Promise<ReadonlyMap<number, Item>> {
    const items = new Map<number, Item>();
    for await (const item of eachItem(storage, companyPartition(companyId), languagePrefix(projectId, languageId))) {
      items.set(chunkIndexOf(item), item);
    }
    return items;
  }

  function viewAt(place: ChunkPlace, item: Item | undefined): ChunkView {
    const count = slots[place.chunk] ?? 0;
    const chunk = lazy(() => (item ? chunkOf(item, count) : emptyChunk(keyOf(place), count)));
    const read = item ? statusesIn(item, count) : { statuses: blank()[place.chunk] ?? '', edition: layout.edition };
    return viewOf({ ...read, chunk }, place);
  }

  const keyOf = (place: ChunkPlace) => chunkKey(companyId, projectId, place);
  const wholeOf = (chunk: TranslationChunk, place: ChunkPlace) =>
    viewOf({ statuses: chunk.data.statuses, edition: chunk.data.edition ?? 0, chunk: () => chunk }, place);

  async function at(place: ChunkPlace): Promise<ChunkView> {
    return wholeOf(await readChunk(storage, keyOf(place), slots[place.chunk] ?? 0), place);
  }

  return {
    stale,
    at,
    async wholeAt(place) {
      return wholeOf(await readWholeChunk(storage, keyOf(place), slots[place.chunk] ?? 0), place);
    },
    async language(languageId) {
      const items = await itemsOf(languageId);
      return slots.map((_, chunk) => viewAt({ languageId, chunk }, items.get(chunk)));
    },
    async statuses(languageId, chunks) {
      if (chunks && chunks.size <= FEW_CHUNKS) {
        const read = slots.map(async (_, chunk) =>
          chunks.has(chunk) ? (await at({ languageId, chunk })).statuses : blank()[chunk],
        );
        return (await Promise.all(read)).join('');
      }
      const items = await itemsOf(languageId);
      const texts = slots.map((count, chunk) => {
        const [item, place] = [items.get(chunk), { languageId, chunk }];
        if (byPlace.has(nameOf(place))) return viewAt(place, item).statuses;
        if (!item) return blank()[chunk];
        const { statuses, edition } = statusesIn(item, count);
        return stale.statusesOf(place, statuses, edition);
      });
      return texts.join('');
    },
  };
}

/** Returns the translations of edits that still hold, by their chunks and their offsets in the chunk. */
function editedByPlace(
  edits: readonly Edit[],
  layout: Layout,
  languages: readonly LanguageWork[],
  starts: readonly number[],
): ReadonlyMap<string, ReadonlyMap<number, Edited>> {
  const byId = new Map(languages.map((language) => [language.languageId, language]));
  const byPlace = new Map<string, Map<number, Edited>>();
  for (const edit of edits) {
    for (const [index, { languageId, slot, status, version }] of edit.translations.entries()) {
      const language = byId.get(languageId);
      const fate = language ? fateOf(layout, language, slot, edit.edition) : 'gone';
      if (fate === 'gone') continue;
      const { chunk, offset } = placeOf(starts, slot);
      const name = nameOf({ languageId, chunk });
      const edited = byPlace.get(name) ?? new Map<number, Edited>();
      const present = afterFate({ status, version, isOutdated: false }, fate);
      byPlace.set(name, edited.set(offset, { edit, index, ...present }));
    }
  }
  return byPlace;
}

function nameOf({ languageId, chunk }: ChunkPlace): string {
  return `${languageId}/${chunk}`;
}

/** Returns where each of some chunks begins. @param counts how many slots or segments each has */
export function startsOf(counts: readonly number[]): number[] {
  let start = 0;
  return counts.map((count) => {
    start += count;
    return start - count;
  });
}

/** Returns the chunk of a slot or position, and its offset in the chunk. */
export function placeOf(
  starts: readonly number[],
  wanted: number,
): { readonly chunk: number; readonly offset: number } {
  const chunk = lastBegun(starts, itself, wanted);
  return { chunk, offset: wanted - (starts[chunk] ?? 0) };
}

const itself = (start: number) => start;
