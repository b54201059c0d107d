import type { ProjectHead } from '../contract/project-answer.ts';
import type { ByteText } from '../service/byte-text.ts';
import { SEGMENT_ID_STEP } from '../service/project-from.ts';
import { nextTurn } from '../service/turn.ts';
import { CHUNK_SEGMENTS, CHUNK_TEXT } from './chunk-slots.ts';
import { type Layout, type LayoutData, layoutOf, runIndexAt } from './layout.ts';
import { changedPayload, type NewChunk, type Payload, type PayloadChunks, textsOf } from './project-payload.ts';
import { placeOf, startsOf } from './work/chunk-view.ts';

type SegmentRun = LayoutData['segments'][number];

/** Segments that follow each other in a new order, as they did before, or new ones. */
export interface PlacedRun {
  /** The position that the first one had before; absent if they are new. */
  readonly before?: number | undefined;
  readonly count: number;
  /** What is different in each of them: the content, or only other fields. Absent if nothing is, or if they are new. */
  readonly different?: 'content' | 'fields' | undefined;
}

/** Returns the number of segments of some runs. */
export function sizeOf(order: readonly PlacedRun[]): number {
  return order.reduce((sum, { count }) => sum + count, 0);
}

/** Adds segments to an order, to its last run if they follow it. */
export function addPlaced(order: PlacedRun[], added: PlacedRun): void {
  const last = order.at(-1);
  const next = last?.before === undefined ? undefined : last.before + last.count;
  if (last && next === added.before && last.different === added.different) {
    order[order.length - 1] = { ...last, count: last.count + added.count };
  } else if (added.count > 0) order.push(added);
}

/**
 * Makes the layout of a project after its segments or its target languages have changed. What stays keeps its slot. New
 * segments get free slots, and then new ones at the end.
 * @param order all segments in their new order
 * @param isSettled whether nothing stale is left, so that the history of the slots does not matter any more
 */
export async function nextLayout(layout: Layout, order: readonly PlacedRun[], isSettled: boolean): Promise<Layout> {
  const edition = layout.edition + 1;
  const capacity = layout.slots.reduce((sum, count) => sum + count, 0);
  const most = capacity + sizeOf(order);
  const [since, changed] = [new Int32Array(most), new Int32Array(most)];
  for (const run of isSettled ? [] : layout.history) {
    since.fill(run.since, run.slot, run.slot + run.count);
    changed.fill(run.changed, run.slot, run.slot + run.count);
  }
  const isTaken = new Uint8Array(most);
  for (const { slot, count } of order.flatMap((run) => placesOf(layout, run))) isTaken.fill(1, slot, slot + count);
  await nextTurn();
  for (const { slot, count } of layout.segments) {
    for (let each = slot; each < slot + count; each++) {
      if (!isTaken[each]) [since[each], changed[each]] = [edition, 0];
    }
  }
  const runs: SegmentRun[] = [];
  let [free, end, { nextId }] = [0, capacity, layout];
  for (const run of order) {
    for (let each = 0; run.before === undefined && each < run.count; each++) {
      while (isTaken[free]) free++;
      [since[free], changed[free]] = [edition, 0];
      addSegments(runs, { slot: free, id: nextId, count: 1 });
      free++;
      end = Math.max(end, free);
      nextId += SEGMENT_ID_STEP;
    }
    for (const kept of placesOf(layout, run)) {
      if (run.different === 'content') changed.fill(edition, kept.slot, kept.slot + kept.count);
      addSegments(runs, kept);
    }
  }
  await nextTurn();
  const history: { count: number; since: number; changed: number }[] = [];
  for (let slot = 0; slot < end; slot++) {
    const last = history.at(-1);
    const [from, to] = [since[slot] ?? 0, changed[slot] ?? 0];
    if (last?.since === from && last.changed === to) last.count++;
    else history.push({ count: 1, since: from, changed: to });
  }
  const settled = isSettled ? layout.edition : layout.settled;
  return layoutOf({ slots: grown(layout.slots, end), edition, settled, nextId, segments: runs, history });
}

/** Returns the places before of the segments of a run, in runs; none if they are new. */
function placesOf(layout: Layout, { before, count }: PlacedRun): SegmentRun[] {
  const places: SegmentRun[] = [];
  if (before === undefined) return places;
  for (let position = before; position < before + count; ) {
    const { slot, id } = layout.at(position);
    const run = layout.segments[runIndexAt(layout, position)];
    const end = Math.min(before + count, run ? run.position + run.count : position + 1);
    places.push({ slot, id, count: end - position });
    position = end;
  }
  return places;
}

function addSegments(runs: { slot: number; id: number; count: number }[], { slot, id, count }: SegmentRun): void {
  const last = runs.at(-1);
  const follows = last && slot === last.slot + last.count && id === last.id + last.count * SEGMENT_ID_STEP;
  if (follows) last.count += count;
  else runs.push({ slot, id, count });
}

/** Returns the number of slots in each chunk if there are more slots: the last chunk becomes full, then others follow. */
function grown(slots: readonly number[], capacity: number): number[] {
  const grownSlots = [...slots];
  let left = capacity - slots.reduce((sum, count) => sum + count, 0);
  const last = grownSlots.at(-1);
  if (last !== undefined) {
    const added = Math.min(left, Math.max(0, CHUNK_SEGMENTS - last));
    grownSlots[grownSlots.length - 1] = last + added;
    left -= added;
  }
  for (; left > 0; left -= CHUNK_SEGMENTS) grownSlots.push(Math.min(left, CHUNK_SEGMENTS));
  return grownSlots;
}

/** The number of segments from which a chunk that is made anew is long enough to end before a chunk that stays. */
const FEW_SEGMENTS = CHUNK_SEGMENTS / 10;

/**
 * Makes the payload of a project after its segments have changed. Chunks whose segments are the same stay as they are.
 * @param textOf returns the JSON of a segment that is new or different
 */
export async function rearranged(
  whole: PayloadChunks,
  layout: Layout,
  head: ProjectHead,
  order: readonly PlacedRun[],
  textOf: (position: number, id: number) => ByteText,
): Promise<Payload> {
  const { counts } = whole;
  const starts = new Map(startsOf(counts).map((start, chunk) => [start, chunk]));
  const chunks: NewChunk[] = [];
  let made: ByteText[] = [];
  let [position, length] = [0, 0];

  function close(): void {
    if (made.length > 0) chunks.push({ count: made.length, texts: made });
    [made, length] = [[], 0];
  }

  /** Keeps a chunk that begins at a position before, if no more segments than a number follow. */
  function keepChunk(before: number, most: number): number {
    const kept = starts.get(before);
    const count = counts[kept ?? -1] ?? 0;
    // The first chunk has no comma before its first segment. A short chunk is joined with the next one.
    const isFitting = (kept === 0) === (position === 0) && !(made.length > 0 && made.length < FEW_SEGMENTS);
    if (kept === undefined || count === 0 || count > most || !isFitting) return 0;
    close();
    chunks.push({ count, kept });
    return count;
  }

  const textBefore = textReader(whole);
  for (const { before, count, different } of order) {
    for (const end = position + count; position < end; ) {
      const old = before === undefined || different ? undefined : before + count - (end - position);
      const kept = old === undefined ? 0 : keepChunk(old, end - position);
      position += kept;
      if (kept > 0) continue;
      const text = old === undefined ? textOf(position, layout.at(position).id) : await textBefore(old);
      made.push(text);
      length += text.length;
      position++;
      if (made.length < CHUNK_SEGMENTS && length < CHUNK_TEXT) continue;
      close();
      await nextTurn();
    }
  }
  close();
  return changedPayload(whole, head, chunks, layout.slots);
}

/** Makes a function that reads the JSON of a segment by its position before. It keeps the chunks that it has read. */
function textReader({ counts, plainOf }: PayloadChunks) {
  const starts = startsOf(counts);
  const kept = new Map<number, readonly ByteText[]>();
  return async (position: number): Promise<ByteText> => {
    const { chunk, offset } = placeOf(starts, position);
    let texts = kept.get(chunk);
    if (!texts) {
      // Other requests run between two chunks.
      await nextTurn();
      texts = textsOf(plainOf(chunk));
      kept.set(chunk, texts);
    }
    const text = texts[offset];
    if (text === undefined) throw new RangeError('A chunk of segments has fewer segments than its payload says');
    return text;
  };
}
