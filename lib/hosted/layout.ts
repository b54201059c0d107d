import { lazy } from '../contract/lazy.ts';
import { type EncodedText, encodeText } from '../service/encoded-text.ts';
import { SEGMENT_ID_STEP } from '../service/project-from.ts';
import { lastBegun } from './last-begun.ts';

/*
 * A segment has an id, a position and a slot. The position is its place in the order of the project, which a put may
 * change. The slot is the place of its translations: chunks of translations have a fixed number of slots each, so a
 * segment keeps its slot as long as it exists. A slot that is free again may get another segment.
 *
 * Whoever changes segments writes no chunk. The layout notes in which edition a slot got its segment, and in which the
 * content of that segment changed. A chunk knows the edition of its last change, so a reader sees what of it still
 * holds, and the worker removes the rest later; see `work/stale-slots.ts`.
 */

/** Segments in a row, with consecutive slots and ids. */
interface SegmentRun {
  readonly position: number;
  readonly slot: number;
  readonly id: number;
  readonly count: number;
}

/** Slots in a row, with the same history. */
interface SlotRun {
  readonly slot: number;
  readonly count: number;
  /** The edition in which the slot got its segment, or lost it; 0 at the creation of the project. */
  readonly since: number;
  /** The edition in which the content of the segment last changed; 0 if it never did. */
  readonly changed: number;
}

/** The place of a segment. */
export interface SegmentPlace {
  readonly position: number;
  readonly slot: number;
  readonly id: number;
}

/** Where the segments of a project and their translations are. */
export interface Layout {
  /** The number of segments. */
  readonly size: number;
  /** The number of slots in each chunk of translations. */
  readonly slots: readonly number[];
  /** How often segments or target languages were changed. */
  readonly edition: number;
  /** The last edition whose history was forgotten, because nothing stale was left; 0 if there is none. */
  readonly settled: number;
  /** An id that no segment or target language of the project ever had, nor any above it. */
  readonly nextId: number;
  /** The segments in the order of the project. */
  readonly segments: readonly SegmentRun[];
  /** All slots, in their order. */
  readonly history: readonly SlotRun[];
  /** Whether every segment has the slot of its position, as in a new project. */
  readonly isPlain: boolean;
  /** Returns the place of the segment at a position. */
  at(position: number): SegmentPlace;
  /** Returns the place of a segment; `undefined` if the project does not have it. */
  ofId(id: number): SegmentPlace | undefined;
  /** Returns the history of a slot. */
  historyOf(slot: number): SlotRun;
}

/** What a layout is made of. */
export type LayoutData = Pick<Layout, 'slots' | 'edition' | 'settled' | 'nextId'> & {
  readonly segments: readonly Omit<SegmentRun, 'position'>[];
  readonly history: readonly Omit<SlotRun, 'slot'>[];
};

/** Makes the layout of a new project: each segment has the slot of its position. */
export function plainLayout(firstId: number, slots: readonly number[]): Layout {
  const count = slots.reduce((sum, some) => sum + some, 0);
  return layoutOf({
    slots,
    edition: 0,
    settled: 0,
    nextId: firstId + count * SEGMENT_ID_STEP,
    segments: [{ slot: 0, id: firstId, count }],
    history: [{ count, since: 0, changed: 0 }],
  });
}

/** Makes a layout. */
export function layoutOf({ slots, edition, settled, nextId, ...runs }: LayoutData): Layout {
  let [size, end] = [0, 0];
  const segments = runs.segments.map((run): SegmentRun => {
    size += run.count;
    return { ...run, position: size - run.count };
  });
  const history = runs.history.map((run): SlotRun => {
    end += run.count;
    return { ...run, slot: end - run.count };
  });
  const byId = lazy(() => segments.toSorted((one, other) => one.id - other.id));
  return {
    size,
    slots,
    edition,
    settled,
    nextId,
    segments,
    history,
    isPlain: segments.length <= 1 && (segments[0]?.slot ?? 0) === 0,
    at(position) {
      const run = segments[lastBegun(segments, positionOf, position)];
      const offset = position - (run?.position ?? 0);
      if (!run || offset < 0 || offset >= run.count)
        throw new RangeError('The project has no segment at this position');
      return { position, slot: run.slot + offset, id: run.id + offset * SEGMENT_ID_STEP };
    },
    ofId(id) {
      const run = byId()[lastBegun(byId(), idOf, id)];
      const offset = run ? (id - run.id) / SEGMENT_ID_STEP : -1;
      if (!run || !Number.isInteger(offset) || offset < 0 || offset >= run.count) return undefined;
      return { position: run.position + offset, slot: run.slot + offset, id };
    },
    historyOf(slot) {
      const run = history[lastBegun(history, slotOf, slot)];
      if (!run || slot >= run.slot + run.count) throw new RangeError('The project has no such slot');
      return run;
    },
  };
}

/** Returns the index of the run that has a position. */
export function runIndexAt({ segments }: Pick<Layout, 'segments'>, position: number): number {
  return lastBegun(segments, positionOf, position);
}

const positionOf = ({ position }: SegmentRun) => position;
const idOf = ({ id }: SegmentRun) => id;
const slotOf = ({ slot }: SlotRun) => slot;

/** The stored form: the edition, the settled one, the next id, the slot, id and count of each segment run, the count and history of each slot run. */
type Stored = readonly [number, number, number, readonly number[], readonly number[]];

/** Encodes a layout, without the number of slots of each chunk. */
export function encodeLayout({ edition, settled, nextId, segments, history }: Layout): Promise<EncodedText> {
  const stored: Stored = [
    edition,
    settled,
    nextId,
    segments.flatMap(({ slot, id, count }) => [slot, id, count]),
    history.flatMap(({ count, since, changed }) => [count, since, changed]),
  ];
  return encodeText(JSON.stringify(stored));
}

/** Parses a layout from the text of `encodeLayout`. */
export function layoutIn(text: string, slots: readonly number[]): Layout {
  const stored: unknown = JSON.parse(text);
  if (!isStored(stored)) throw new TypeError('The layout of a project cannot be read');
  const [edition, settled, nextId, segments, history] = stored;
  return layoutOf({
    slots,
    edition,
    settled,
    nextId,
    segments: inThrees(segments, (slot, id, count) => ({ slot, id, count })),
    history: inThrees(history, (count, since, changed) => ({ count, since, changed })),
  });
}

// A schema would need longer than JSON.parse.
function isStored(value: unknown): value is Stored {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [edition, settled, nextId, ...lists]: readonly unknown[] = value;
  const areNumbers = (list: unknown) => Array.isArray(list) && list.every((number) => Number.isSafeInteger(number));
  return areNumbers([edition, settled, nextId]) && lists.every(areNumbers);
}

function inThrees<T>(numbers: readonly number[], make: (one: number, two: number, three: number) => T): T[] {
  const made: T[] = [];
  for (let n = 0; n < numbers.length; n += 3)
    made.push(make(numbers[n] ?? 0, numbers[n + 1] ?? 0, numbers[n + 2] ?? 0));
  return made;
}
