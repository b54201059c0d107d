import type { Storage } from '../../storage/port.ts';
import { type Layout, runIndexAt } from '../layout.ts';
import { countsIn, type PayloadFields } from '../project-payload.ts';
import type { BlockContents } from './chunk-item.ts';
import { type ChunkViews, chunkViews, placeOf, startsOf, type Translations } from './chunk-view.ts';
import { blockAt } from './content-blocks.ts';
import { type Edit, readEdits } from './edit-item.ts';
import { type StatusText, statusOf } from './status-text.ts';
import type { WorkRecord } from './work-record.ts';

/** The place of a part: the id of a language, and the index of a chunk of segments. */
export interface PartPlace {
  readonly languageId: number;
  readonly part: number;
}

/**
 * The translations of a project in the order of its segments, as they stood when the view was opened. A part has those of
 * one chunk of segments; of a new project, it is one chunk of translations.
 */
export interface TranslationView {
  readonly layout: Layout;
  /** The edits that are not folded yet, the oldest first. */
  readonly edits: readonly Edit[];
  /** The translations by their slots, for those who change them. */
  readonly chunks: ChunkViews;
  at(place: PartPlace): Promise<Translations>;
  /** Reads a part together with its contents. */
  wholeAt(place: PartPlace): Promise<Translations>;
  /** Reads all parts of a language, in order. */
  language(languageId: number): Promise<readonly Translations[]>;
  /**
   * Reads the statuses of all segments in a language, as one text.
   * @param chunks the chunks to read. The segments of the others are shown as untranslated
   */
  statuses(languageId: number, chunks?: ReadonlySet<number>): Promise<StatusText>;
  /** Returns the chunks that have the translations of segments. @param positions in ascending order */
  chunksOf(positions: Iterable<number>): ReadonlySet<number>;
}

/** Opens the view of a project's translations. Reads the edits first, so that an edit that is folded meanwhile counts. */
export async function openView(
  storage: Pick<Storage, 'read' | 'list' | 'readWithPayload' | 'readPayloadRange'>,
  companyId: string,
  project: { readonly id: number; readonly work: WorkRecord; readonly record: { readonly payload: PayloadFields } },
  layout: Layout,
): Promise<TranslationView> {
  const { id: projectId, work, record } = project;
  const { first, next } = work.edits;
  const edits = first < next ? await readEdits(storage, companyId, projectId) : [];
  const chunks = chunkViews(storage, { companyId, projectId, layout, languages: work.languages }, edits);
  const counts = countsIn(record.payload);
  const { slots } = layout;
  const isPlain = layout.isPlain && counts.length === slots.length && counts.every((count, n) => count === slots[n]);
  const partStarts = startsOf(counts);
  const slotStarts = startsOf(slots);
  const piecesOf = (part: number) => piecesIn(layout, slotStarts, partStarts[part] ?? 0, counts[part] ?? 0);

  /** Reads a part from the chunks that have its translations. */
  async function read({ languageId, part }: PartPlace, how: 'at' | 'wholeAt'): Promise<Translations> {
    if (isPlain) return chunks[how]({ languageId, chunk: part });
    const pieces = piecesOf(part);
    const needed = [...new Set(pieces.map(({ chunk }) => chunk))];
    const views = await Promise.all(needed.map((chunk) => chunks[how]({ languageId, chunk })));
    const byChunk = new Map(needed.map((chunk, n) => [chunk, views[n]]));
    return joined(pieces, (chunk) => byChunk.get(chunk));
  }

  return {
    layout,
    edits,
    chunks,
    at: (place) => read(place, 'at'),
    wholeAt: (place) => read(place, 'wholeAt'),
    async language(languageId) {
      const views = await chunks.language(languageId);
      return isPlain ? views : counts.map((_, part) => joined(piecesOf(part), (chunk) => views[chunk]));
    },
    chunksOf: (positions) => new Set(chunksOf(layout, positions)),
    async statuses(languageId, some) {
      const bySlot = await chunks.statuses(languageId, some);
      if (layout.isPlain) return bySlot.slice(0, layout.size);
      return layout.segments.map(({ slot, count }) => bySlot.slice(slot, slot + count)).join('');
    },
  };
}

function* chunksOf(layout: Layout, positions: Iterable<number>): Generator<number, void> {
  const starts = startsOf(layout.slots);
  // Positions in a row are mostly in one chunk.
  let [from, to] = [0, 0];
  for (const position of positions) {
    const { slot } = layout.at(position);
    if (slot >= from && slot < to) continue;
    const { chunk } = placeOf(starts, slot);
    from = starts[chunk] ?? 0;
    to = from + (layout.slots[chunk] ?? 0);
    yield chunk;
  }
}

/** Translations in a row that are in a row in a chunk too. */
interface Piece {
  /** The offset of the first one in the part. */
  readonly from: number;
  readonly count: number;
  readonly chunk: number;
  /** The offset of the first one in the chunk. */
  readonly offset: number;
}

/**
 * Returns the pieces of a part.
 * @param starts the first slot of each chunk
 * @param start the position of the first segment of the part
 * @param size the number of segments of the part
 */
function piecesIn(layout: Layout, starts: readonly number[], start: number, size: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let [from, run] = [0, runIndexAt(layout, start)]; from < size; run++) {
    const segments = layout.segments[run];
    if (!segments) throw new RangeError('The layout has fewer segments than the payload');
    const end = Math.min(size, segments.position + segments.count - start);
    while (from < end) {
      const { chunk, offset } = placeOf(starts, segments.slot + start + from - segments.position);
      const count = Math.min(end - from, (layout.slots[chunk] ?? 0) - offset);
      pieces.push({ from, count, chunk, offset });
      from += count;
    }
  }
  return pieces;
}

/** Shows pieces of chunks as one part. */
function joined(pieces: readonly Piece[], viewOf: (chunk: number) => Translations | undefined): Translations {
  const shown = pieces.flatMap((piece) => {
    const view = viewOf(piece.chunk);
    return view ? [{ piece, view }] : [];
  });
  const starts = pieces.map(({ from }) => from);
  const statuses = shown
    .map(({ piece: { offset, count }, view }) => view.statuses.slice(offset, offset + count))
    .join('');

  /** Returns the view of an offset, and the offset in it. */
  function placeIn(offset: number): readonly [Translations, number] {
    const { chunk: piece, offset: rest } = placeOf(starts, offset);
    const found = shown[piece];
    if (!found) throw new RangeError('The part has no such segment');
    return [found.view, found.piece.offset + rest];
  }

  function of<T>(read: (view: Translations, offset: number) => T): (offset: number) => T {
    return (offset) => read(...placeIn(offset));
  }

  return {
    get blocks() {
      if (shown.every(({ view }) => view.blocks.length === 0)) return [];
      return Array.from(statuses, (_, offset) => {
        const [view, place] = placeIn(offset);
        const block = blockAt(view.blocks, place);
        const isAlone = block !== undefined && block.to - block.from === 1;
        return { from: offset, to: offset + 1, number: 0, length: isAlone ? block.length : 0 };
      });
    },
    statuses,
    status: (offset) => statusOf(statuses[offset]),
    version: of((view, offset) => view.version(offset)),
    isOutdated: of((view, offset) => view.isOutdated(offset)),
    problem: of((view, offset) => view.problem(offset)),
    lost: of((view, offset) => view.lost(offset)),
    isEdited: of((view, offset) => view.isEdited(offset)),
    openContents() {
      const readers = new Map(shown.map(({ view }) => [view, view.openContents()]));
      return async (offsets) => {
        const lines: BlockContents['lines'][number][] = [];
        for (const [view, own] of Map.groupBy(offsets, (offset) => placeIn(offset)[0])) {
          const ofBlock = Map.groupBy(own, (offset) => blockAt(view.blocks, placeIn(offset)[1]));
          for (const some of ofBlock.values()) {
            const contents = await readers.get(view)?.(some.map((offset) => placeIn(offset)[1]));
            if (!contents) return undefined;
            for (const offset of some) lines[offset] = contents.lines[placeIn(offset)[1] - contents.from];
          }
        }
        return { from: 0, lines };
      };
    },
  };
}

/** Yields the parts of positions, each with the offsets of its segments. @param wanted positions in ascending order */
export function* offsetsByPart(
  counts: readonly number[],
  wanted: Iterable<number>,
): Generator<readonly [part: number, offsets: readonly number[]], void> {
  let [part, start] = [0, 0];
  let offsets: number[] = [];
  for (const position of wanted) {
    for (let count = counts[part]; count !== undefined && position >= start + count; count = counts[part]) {
      if (offsets.length > 0) yield [part, offsets];
      offsets = [];
      start += count;
      part++;
    }
    offsets.push(position - start);
  }
  if (offsets.length > 0) yield [part, offsets];
}
