import type { SegmentRequest } from '../../contract/project.ts';
import type { StoredSegment } from '../project-payload.ts';

/** How many segments one step handles. */
const STEP = 5_000;

/** Which segments are the same before and after a put. */
export interface Matches {
  /** For each segment after the put, the index of the same segment before it; `undefined` if it is new. */
  readonly before: readonly (number | undefined)[];
}

/** Segments that are compared, with the task of each. */
export interface Compared<Segment> {
  readonly segments: readonly Segment[];
  readonly taskOf: (segment: Segment) => string | null;
}

/**
 * Finds the segments of a project that a put keeps or changes, in steps: first by custom ids that occur once before and
 * once after, then by equal content in the same task, then by equal content in any task, each time in order. The work
 * grows with the number of segments and with their length, not with their product.
 */
export function* matchSegments(
  before: Compared<StoredSegment>,
  after: Compared<SegmentRequest>,
): Generator<void, Matches> {
  const found: (number | undefined)[] = after.segments.map(() => undefined);
  const isTaken = new Uint8Array(before.segments.length);
  const take = (index: number, old: number) => {
    found[index] = old;
    isTaken[old] = 1;
  };

  const [byCustomId, wantedIds] = [yield* onceEach(before.segments), yield* onceEach(after.segments)];
  for (const [customId, index] of wantedIds) {
    const old = byCustomId.get(customId);
    if (old !== undefined && old !== REPEATED && index !== REPEATED) take(index, old);
  }
  yield;
  // The first round compares in one task, the second one across tasks.
  for (const scope of [before.taskOf, () => null]) {
    const wantedScope = scope === before.taskOf ? after.taskOf : () => null;
    const open = new Map<string | null, Map<string, number[]>>();
    for (let old = before.segments.length - 1; old >= 0; old--) {
      const segment = before.segments[old];
      if (segment && !isTaken[old]) listOf(open, scope(segment), segment.content).push(old);
      if (old % STEP === 0) yield;
    }
    if (open.size === 0) break;
    for (const [index, segment] of after.segments.entries()) {
      if (index % STEP === STEP - 1) yield;
      if (found[index] !== undefined) continue;
      // The lists end with the first segment.
      const old = open.get(wantedScope(segment))?.get(segment.content)?.pop();
      if (old !== undefined) take(index, old);
    }
  }
  return { before: found };
}

/** Stands for the index of a custom id that occurs more than once. */
const REPEATED = -1;

function* onceEach(
  segments: readonly { readonly customId?: string | undefined }[],
): Generator<void, ReadonlyMap<string, number>> {
  const indexes = new Map<string, number>();
  for (const [index, { customId }] of segments.entries()) {
    if (index % STEP === STEP - 1) yield;
    if (customId !== undefined) indexes.set(customId, indexes.has(customId) ? REPEATED : index);
  }
  return indexes;
}

function listOf(lists: Map<string | null, Map<string, number[]>>, task: string | null, content: string): number[] {
  const ofTask = lists.get(task) ?? new Map<string, number[]>();
  lists.set(task, ofTask);
  const list = ofTask.get(content) ?? [];
  ofTask.set(content, list);
  return list;
}
