import type { ProjectHead } from '../contract/project-answer.ts';
import type { ByteText } from '../service/byte-text.ts';
import { SEGMENT_ID_STEP } from '../service/project-from.ts';
import { nextTurn } from '../service/turn.ts';
import { CHUNK_SEGMENTS, CHUNK_TEXT } from './chunk-slots.ts';
import { type Layout, type LayoutData, layoutOf } from './layout.ts';
import { changedPayload, type NewChunk, type Payload, type PayloadChunks, textsOf } from './project-payload.ts';
import { placeOf, startsOf } from './work/chunk-view.ts';

/** A segment in a new order. */
export interface PlacedSegment {
  /** The position that the segment had before; absent if it is new. */
  readonly before?: number | undefined;
  /** Whether its content is another than before. */
  readonly isChanged?: boolean;
}

/**
 * Makes the layout of a project after its segments or its target languages have changed. What stays keeps its slot. New
 * segments get free slots, and then new ones at the end.
 * @param order all segments in their new order
 * @param isSettled whether nothing stale is left, so that the history of the slots does not matter any more
 */
export async function nextLayout(layout: Layout, order: readonly PlacedSegment[], isSettled: boolean): Promise<Layout> {
  const edition = layout.edition + 1;
  const capacity = layout.slots.reduce((sum, count) => sum + count, 0);
  const most = capacity + order.length;
  const [since, changed] = [new Int32Array(most), new Int32Array(most)];
  for (const run of isSettled ? [] : layout.history) {
    since.fill(run.since, run.slot, run.slot + run.count);
    changed.fill(run.changed, run.slot, run.slot + run.count);
  }
  const isTaken = new Uint8Array(most);
  for (const { before } of order) if (before !== undefined) isTaken[layout.at(before).slot] = 1;
  await nextTurn();
  for (const { slot, count } of layout.segments) {
    for (let each = slot; each < slot + count; each++) {
      if (!isTaken[each]) [since[each], changed[each]] = [edition, 0];
    }
  }
  const runs: LayoutData['segments'][number][] = [];
  let [free, end, { nextId }] = [0, capacity, layout];
  for (const { before, isChanged } of order) {
    if (before === undefined) {
      while (isTaken[free]) free++;
      [since[free], changed[free]] = [edition, 0];
      addSegment(runs, { slot: free, id: nextId });
      free++;
      end = Math.max(end, free);
      nextId += SEGMENT_ID_STEP;
      continue;
    }
    const place = layout.at(before);
    if (isChanged) changed[place.slot] = edition;
    addSegment(runs, place);
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

function addSegment(
  runs: { slot: number; id: number; count: number }[],
  { slot, id }: { slot: number; id: number },
): void {
  const last = runs.at(-1);
  const follows = last && slot === last.slot + last.count && id === last.id + last.count * SEGMENT_ID_STEP;
  if (follows) last.count++;
  else runs.push({ slot, id, count: 1 });
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
 * @param textOf returns the JSON of a segment that is new or different; `undefined` if it is as it was before
 */
export async function rearranged(
  whole: PayloadChunks,
  layout: Layout,
  head: ProjectHead,
  order: readonly PlacedSegment[],
  textOf: (position: number, id: number) => ByteText | undefined,
): Promise<Payload> {
  const { counts } = whole;
  const starts = new Map(startsOf(counts).map((start, chunk) => [start, chunk]));
  const texts = order.map((_, position) => textOf(position, layout.at(position).id));
  const rows = rowsOf(order, texts);
  await nextTurn();
  const chunks: NewChunk[] = [];
  let made: ByteText[] = [];
  let length = 0;

  function close(): void {
    if (made.length > 0) chunks.push({ count: made.length, texts: made });
    [made, length] = [[], 0];
  }

  const textBefore = textReader(whole);
  for (let position = 0; position < order.length; ) {
    const before = order[position]?.before;
    const kept = before === undefined ? undefined : starts.get(before);
    const count = counts[kept ?? -1] ?? 0;
    const isWhole = kept !== undefined && count > 0 && (rows[position] ?? 0) >= count;
    // The first chunk has no comma before its first segment. A short chunk is joined with the next one.
    const isFitting = (kept === 0) === (position === 0) && !(made.length > 0 && made.length < FEW_SEGMENTS);
    if (isWhole && isFitting) {
      close();
      chunks.push({ count, kept });
      position += count;
      continue;
    }
    const text = texts[position] ?? (await textBefore(before));
    made.push(text);
    length += text.length;
    position++;
    if (made.length === CHUNK_SEGMENTS || length >= CHUNK_TEXT) close();
  }
  close();
  return changedPayload(whole, head, chunks, layout.slots);
}

/** Returns how many segments from each position on are those that followed each other before, without a difference. */
function rowsOf(order: readonly PlacedSegment[], texts: readonly (ByteText | undefined)[]): Uint32Array {
  const rows = new Uint32Array(order.length);
  for (let position = order.length - 1; position >= 0; position--) {
    const before = order[position]?.before;
    if (before === undefined || texts[position] !== undefined) continue;
    rows[position] = 1 + (order[position + 1]?.before === before + 1 ? (rows[position + 1] ?? 0) : 0);
  }
  return rows;
}

/** Makes a function that reads the JSON of a segment by its position before. It keeps the chunks that it has read. */
function textReader({ counts, plainOf }: PayloadChunks) {
  const starts = startsOf(counts);
  const kept = new Map<number, readonly ByteText[]>();
  return async (position: number | undefined): Promise<ByteText> => {
    if (position === undefined) throw new RangeError('A new segment has no JSON');
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
