import { isDeepStrictEqual } from 'node:util';
import type { SegmentRequest } from '../../contract/project.ts';
import { entryTexts } from '../../service/encoded-text.ts';
import { segmentFrom } from '../../service/project-from.ts';
import { characterCount } from '../../service/translation-engine.ts';
import { inTurns, nextTurn } from '../../service/turn.ts';
import type { Layout } from '../layout.ts';
import { type PayloadChunks, parsedSegments, type StoredSegment } from '../project-payload.ts';
import { addPlaced, type PlacedRun } from '../rearrange.ts';
import { startsOf } from '../work/chunk-view.ts';
import { matchSegments } from './match-segments.ts';

/** The segments of a project before and after a put. */
export interface PutSegments {
  readonly chunks: PayloadChunks;
  readonly layout: Layout;
  /** The task of the project itself, before and after. */
  readonly ownBefore: string | undefined;
  readonly ownAfter: string | undefined;
  /** Absent if the put is of the whole project. */
  readonly taskId: string | undefined;
  readonly segments: readonly SegmentRequest[];
}

/** What a put does to the segments of a project. */
export interface SegmentsChange {
  readonly order: readonly PlacedRun[];
  /** The number of segments after the put. */
  readonly size: number;
  readonly isSameOrder: boolean;
  /** The segments that are new or have other fields, by their positions after the put. */
  readonly different: ReadonlyMap<number, SegmentRequest>;
  /** The positions before the put of the segments that it removes, and of those that get another content. */
  readonly removed: readonly number[];
  readonly changed: readonly number[];
  readonly added: number;
  /** The number of code points of added segments and new contents. */
  readonly newCharacters: number;
  /** Whether every segment that stays has the task that it had. */
  readonly keepsTasks: boolean;
  /** All segments after the put. */
  readonly all: readonly SegmentRequest[];
}

/** A segment after a put: one of the request, or one that the put leaves alone. */
interface Wanted {
  readonly segment?: SegmentRequest;
  readonly before?: number;
}

/**
 * Compares the segments of a put with those of its project. Mostly few have changed. So chunks at the beginning and at the
 * end are compared as text, and only the segments between them are parsed and matched, if no other one has anything to do
 * with them. Other requests run between the steps.
 */
export async function compareSegments(put: PutSegments): Promise<SegmentsChange> {
  const { chunks, ownBefore, ownAfter, taskId, segments } = put;
  const size = chunks.counts.reduce((sum, count) => sum + count, 0);
  const mayHaveEnds = taskId === undefined && ownBefore === ownAfter;
  const found = mayHaveEnds ? await differing(put, size) : undefined;
  const { middle, front, back } =
    found && !isEntangled(put, found) ? found : { middle: await parse(put, 0, size), front: 0, back: 0 };
  const wanted = await matched(put, middle, { front, back });
  const order: PlacedRun[] = [];
  addPlaced(order, { before: 0, count: front });
  const different = new Map<number, SegmentRequest>();
  const stays = new Uint8Array(middle.length);
  const changed: number[] = [];
  let [added, newCharacters, keepsTasks] = [0, 0, true];
  for (const [index, { segment, before }] of wanted.entries()) {
    const old = before === undefined ? undefined : middle[before - front];
    const isChanged = old !== undefined && segment !== undefined && segment.content !== old.content;
    if (before !== undefined) stays[before - front] = 1;
    if (old && segment && (old.taskId ?? ownBefore) !== (segment.taskId ?? ownAfter)) keepsTasks = false;
    if (isChanged && before !== undefined) changed.push(before);
    if (!old) added++;
    if (segment && (!old || isChanged)) newCharacters += characterCount([segment.content]);
    const isDifferent = segment !== undefined && !(old && isSame(old, segment));
    if (isDifferent) different.set(front + index, segment);
    const change = isChanged ? 'content' : 'fields';
    addPlaced(order, { before, count: 1, different: old && isDifferent ? change : undefined });
    if (index % STEP === STEP - 1) await nextTurn();
  }
  const removed = Array.from(stays.keys()).flatMap((index) => (stays[index] === 0 ? [front + index] : []));
  const isSameOrder = removed.length === 0 && wanted.every(({ before }, index) => before === front + index);
  addPlaced(order, { before: size - back, count: back });

  return {
    order,
    size: front + wanted.length + back,
    isSameOrder,
    different,
    removed,
    changed,
    added,
    newCharacters,
    keepsTasks,
    // A put of the whole project has all of them. That of a task has no ends.
    all:
      taskId === undefined ? segments : wanted.flatMap(({ segment, before = -1 }) => segment ?? middle[before] ?? []),
  };
}

/** How many segments are compared before other requests run. */
const STEP = 5_000;

/** How many segments at the beginning and at the end are equal before and after a put. */
interface Ends {
  readonly front: number;
  readonly back: number;
}

/** The segments between the ends, before the put. */
interface Middle extends Ends {
  readonly middle: readonly StoredSegment[];
}

/** Finds the segments between the equal ends. */
async function differing(put: PutSegments, size: number): Promise<Middle> {
  const { segments } = put;
  let { front, back } = await equalChunks(put, size);
  const parsed = await parse(put, front, size - back);
  const isSameAt = (old: StoredSegment | undefined, position: number) => {
    const sent = segments[position];
    return old !== undefined && sent !== undefined && isSame(old, sent);
  };
  let [from, to] = [0, parsed.length];
  while (from < to && front + back < segments.length && isSameAt(parsed[from], front)) {
    from++;
    front++;
  }
  while (from < to && front + back < segments.length && isSameAt(parsed[to - 1], segments.length - back - 1)) {
    to--;
    back++;
  }
  return { middle: parsed.slice(from, to), front, back };
}

/** Counts the segments at both ends that are equal, in whole chunks. */
async function equalChunks({ chunks, layout, segments }: PutSegments, size: number): Promise<Ends> {
  const { counts } = chunks;
  const starts = startsOf(counts);
  const shift = segments.length - size;

  /** Whether a chunk has the same text after the put, with its segments moved by a number of positions. */
  async function isEqual(chunk: number, moved: number): Promise<boolean> {
    const start = starts[chunk] ?? 0;
    // Other requests run between two chunks.
    if (start > 0) await nextTurn();
    const sent = segments.slice(start + moved, start + moved + (counts[chunk] ?? 0));
    const made = sent.map((segment, offset) => segmentFrom(segment, layout.at(start + offset).id));
    return isText(chunks.plainOf(chunk), entryTexts(made, chunk > 0 ? ',' : ''));
  }

  let [first, front] = [0, 0];
  for (; first < counts.length && front + (counts[first] ?? 0) <= segments.length; first++) {
    if (!(await isEqual(first, 0))) break;
    front += counts[first] ?? 0;
  }
  let [last, back] = [counts.length - 1, 0];
  for (; last > first && front + back + (counts[last] ?? 0) <= segments.length; last--) {
    if (!(await isEqual(last, shift))) break;
    back += counts[last] ?? 0;
  }
  return { front, back };
}

/** Whether bytes are those of a text that comes in pieces. */
function isText(bytes: Uint8Array, pieces: Iterable<string>): boolean {
  let end = 0;
  for (const piece of pieces) {
    const start = end;
    const part = Buffer.from(piece);
    end += part.length;
    if (!part.equals(bytes.subarray(start, end))) return false;
  }
  return end === bytes.length;
}

/** Parses the segments from one position to another, which are the limits of chunks. */
async function parse({ chunks }: PutSegments, from: number, to: number): Promise<StoredSegment[]> {
  const parsed: StoredSegment[] = [];
  for (const [chunk, start] of startsOf(chunks.counts).entries()) {
    if (start < from || start >= to) continue;
    for (const segment of parsedSegments(chunks.plainOf(chunk))) parsed.push(segment);
    await nextTurn();
  }
  return parsed;
}

/** Whether a segment at an end has the content or the custom id of one between them, so that they cannot be matched alone. */
function isEntangled({ segments }: PutSegments, { middle, front, back }: Middle): boolean {
  const after = segments.slice(front, segments.length - back);
  if (middle.length + after.length === 0) return false;
  const both = [...middle, ...after];
  const [isContent, isCustomId] = [
    anyOf(both.map(({ content }) => content)),
    anyOf(both.flatMap(({ customId }) => customId ?? [])),
  ];
  const isOfMiddle = ({ content, customId }: SegmentRequest) =>
    isContent(content) || (customId !== undefined && isCustomId(customId));
  return segments.slice(0, front).some(isOfMiddle) || segments.slice(segments.length - back).some(isOfMiddle);
}

/** Makes a function that tells whether a text is one of some texts. Most other texts have other lengths. */
function anyOf(texts: readonly string[]): (text: string) => boolean {
  const [all, lengths] = [new Set(texts), new Set(texts.map(({ length }) => length))];
  return (text) => lengths.has(text.length) && all.has(text);
}

/** Matches the segments between the ends. Returns those after the put. */
async function matched(
  { ownBefore, ownAfter, taskId, segments }: PutSegments,
  middle: readonly StoredSegment[],
  { front, back }: Ends,
): Promise<readonly Wanted[]> {
  const taskBefore = (segment: StoredSegment) => segment.taskId ?? ownBefore ?? null;
  const taskAfter = (segment: SegmentRequest) => taskId ?? segment.taskId ?? ownAfter ?? null;
  const isCompared = (segment: StoredSegment) => taskId === undefined || taskBefore(segment) === taskId;
  const compared = middle.flatMap((segment, index) => (isCompared(segment) ? [index] : []));
  const sent = segments.slice(front, segments.length - back);
  const { before } = await inTurns(
    matchSegments(
      { segments: compared.flatMap((index) => middle[index] ?? []), taskOf: taskBefore },
      { segments: sent, taskOf: taskAfter },
    ),
  );
  const own = sent.map((segment, n): Wanted => {
    const index = compared[before[n] ?? -1];
    // A segment of the task of a put may leave its task out, as the project does for its own task.
    const isNamed = taskId === undefined || segment.taskId !== undefined || ownAfter === taskId;
    return {
      segment: isNamed ? segment : { ...segment, taskId },
      ...(index !== undefined && { before: front + index }),
    };
  });
  return taskId === undefined ? own : inPlaceOf(compared, middle.length, own);
}

/** Puts segments in the place of the first one that they replace, or at the end. */
function inPlaceOf(replaced: readonly number[], size: number, own: readonly Wanted[]): Wanted[] {
  const isReplaced = new Set(replaced);
  const others = (from: number, to: number): Wanted[] =>
    Array.from({ length: to - from }, (_, n) => from + n)
      .filter((position) => !isReplaced.has(position))
      .map((before) => ({ before }));
  const place = replaced[0] ?? size;
  return [...others(0, place), ...own, ...others(place, size)];
}

/** Whether a segment has the fields that the project has of it, in any order. */
function isSame(stored: StoredSegment, segment: SegmentRequest): boolean {
  const sent = Object.entries(segmentFrom(segment, stored.id)).filter(([, value]) => value !== undefined);
  const fields: Readonly<Record<string, unknown>> = { ...stored };
  if (sent.length !== Object.keys(fields).length) return false;
  return sent.every(([name, value]) => {
    const old = fields[name];
    return old === value || (typeof value === 'object' && isDeepStrictEqual(old, value));
  });
}
