import { isDeepStrictEqual } from 'node:util';
import type { CheckedProject, SegmentRequest } from '../../contract/project.ts';
import type { ProjectHead, TargetLanguageAnswer } from '../../contract/project-answer.ts';
import { type ByteText, jsonText } from '../../service/byte-text.ts';
import { projectFrom, SEGMENT_ID_STEP, segmentFrom } from '../../service/project-from.ts';
import type { PutCounts, PutRequest } from '../../service/put.ts';
import { characterCount } from '../../service/translation-engine.ts';
import { inTurns, nextTurn } from '../../service/turn.ts';
import type { Layout } from '../layout.ts';
import { chunkRange, countsIn, headIn, type StoredSegment, segmentsIn } from '../project-payload.ts';
import type { WholeProject } from '../read-projects.ts';
import type { PlacedSegment } from '../rearrange.ts';
import { type TaskRuns, taskRunsOf } from '../work/segment-tasks.ts';
import { matchSegments } from './match-segments.ts';

/** What a put makes of an existing project. */
export interface PutChange {
  readonly counts: PutCounts;
  /** Whether the project is equal already. */
  readonly isUnchanged: boolean;
  /** Whether the segments, their order and the target languages stay, so that the layout does. */
  readonly isSameLayout: boolean;
  readonly head: ProjectHead;
  readonly order: readonly PlacedSegment[];
  readonly tasks: TaskRuns;
  /** Yields the segments after the put. */
  readonly segments: () => Iterable<SegmentRequest>;
  /** Returns the JSON of a segment that is new or different. */
  readonly textOf: (position: number, id: number) => ByteText | undefined;
  /** The positions before the put of the segments that it removes, and of those that get another content. */
  readonly removed: readonly number[];
  readonly changed: readonly number[];
  /** Whether every segment that stays has the task that it had. */
  readonly keepsTasks: boolean;
  /** The layout before the put, with the ids that it takes for target languages left out. */
  readonly layout: Layout;
}

/** A segment after a put: one of the request, or one that the put leaves alone. */
interface Wanted {
  readonly segment?: SegmentRequest;
  readonly before?: number;
}

/** Compares a put with the project as it stands. Other requests run between its steps. */
export async function changeOfPut(
  whole: WholeProject,
  present: Layout,
  { project, taskId }: Pick<PutRequest, 'project' | 'taskId'>,
): Promise<PutChange> {
  const { record, bytes } = whole;
  const { payload } = record;
  const headBefore = headIn(payload, bytes.subarray(...payload.offsets.slice(0, 2)));
  const segmentsBefore = await segmentsOf(whole);
  const nextHead = taskId === undefined ? headOf(project, headBefore, whole, present) : undefined;
  const { head, layout } = nextHead ?? { head: headBefore, layout: present };
  const taskBefore = ({ taskId: own }: { readonly taskId?: string | undefined }) => own ?? headBefore.taskId ?? null;
  const taskAfter = ({ taskId: own }: { readonly taskId?: string | undefined }) => own ?? head.taskId ?? null;

  const isCompared = (segment: StoredSegment) => taskId === undefined || taskBefore(segment) === taskId;
  const compared = segmentsBefore.flatMap((segment, position) => (isCompared(segment) ? [position] : []));
  const matches = await inTurns(
    matchSegments(
      { segments: compared.flatMap((position) => segmentsBefore[position] ?? []), taskOf: taskBefore },
      { segments: project.segments, taskOf: (segment) => taskId ?? taskAfter(segment) },
    ),
  );
  const own = project.segments.map((segment, n): Wanted => {
    const index = matches.before[n];
    const before = index === undefined ? undefined : compared[index];
    // A segment of the task of a put may leave its task out, as the project does for its own task.
    const isNamed = taskId === undefined || segment.taskId !== undefined || head.taskId === taskId;
    return { segment: isNamed ? segment : { ...segment, taskId }, ...(before !== undefined && { before }) };
  });
  const wanted = taskId === undefined ? own : inPlaceOf(compared, segmentsBefore.length, own);
  await nextTurn();

  const order: PlacedSegment[] = [];
  const different = new Map<number, SegmentRequest>();
  const [stays, changed] = [new Uint8Array(segmentsBefore.length), [] as number[]];
  let [added, keepsTasks, addedCharacters] = [0, true, 0];
  for (const [position, { segment, before }] of wanted.entries()) {
    const old = before === undefined ? undefined : segmentsBefore[before];
    const isChanged = old !== undefined && segment !== undefined && segment.content !== old.content;
    order.push({ before, isChanged });
    if (before !== undefined) stays[before] = 1;
    if (old && segment && taskBefore(old) !== taskAfter(segment)) keepsTasks = false;
    if (isChanged && before !== undefined) changed.push(before);
    if (!old) added++;
    if (segment && (!old || isChanged)) addedCharacters += characterCount([segment.content]);
    if (segment && !(old && isSame(old, segment))) different.set(position, segment);
    if (position % STEP === STEP - 1) await nextTurn();
  }
  const removed = Array.from(stays.keys()).filter((position) => stays[position] === 0);
  const isSameOrder = order.every(({ before }, position) => before === position) && removed.length === 0;
  const languages = countLanguages(headBefore, head);
  const newAutomatic = head.targetLanguages.filter(
    ({ targetLanguageId, serviceAutomaticTranslation }) =>
      serviceAutomaticTranslation && !languages.before.has(targetLanguageId),
  ).length;
  const allAutomatic = head.targetLanguages.filter((entry) => entry.serviceAutomaticTranslation).length;
  const allCharacters = newAutomatic === 0 ? 0 : characterCount(project.segments.map(({ content }) => content));

  function* segments(): Generator<SegmentRequest> {
    for (const { segment, before } of wanted) {
      const present = segment ?? segmentsBefore[before ?? -1];
      if (present) yield present;
    }
  }

  return {
    counts: {
      segments: {
        kept: order.length - added - changed.length,
        changed: changed.length,
        added,
        removed: removed.length,
      },
      targetLanguages: languages.counts,
      automaticCharacters: newAutomatic * allCharacters + (allAutomatic - newAutomatic) * addedCharacters,
    },
    isUnchanged:
      isSameOrder && different.size === 0 && isDeepStrictEqual(comparable(head), comparable(headBefore, whole)),
    isSameLayout: isSameOrder && changed.length === 0 && languages.counts.added + languages.counts.removed === 0,
    head,
    order,
    tasks: taskRunsOf(head.taskId, segments()),
    segments,
    textOf(position, id) {
      const segment = different.get(position);
      return segment && jsonText(segmentFrom(segment, id));
    },
    removed,
    changed,
    keepsTasks,
    layout,
  };
}

/** How many segments are compared before other requests run. */
const STEP = 5_000;

/** Parses all segments of a project, chunk by chunk. */
async function segmentsOf({ record: { payload }, bytes }: WholeProject): Promise<StoredSegment[]> {
  const segments: StoredSegment[] = [];
  for (const chunk of countsIn(payload).keys()) {
    if (chunk > 0) await nextTurn();
    const { from, to } = chunkRange(payload, chunk);
    if (from < to) for (const segment of segmentsIn(payload, bytes.subarray(from, to))) segments.push(segment);
  }
  return segments;
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

/** Makes the fields of a project after a put. What only the service adds stays, and the start date of the creation. */
function headOf(
  project: CheckedProject,
  before: ProjectHead,
  { work }: WholeProject,
  layout: Layout,
): { readonly head: ProjectHead; readonly layout: Layout } {
  const { id, creationDateUtc, startDateUtc, customId } = before;
  const { segments: _, ...sent } = projectFrom({ ...project, segments: [] }, id, 0);
  const known = new Map(before.targetLanguages.map((entry) => [entry.targetLanguageId, entry]));
  const states = new Map(work.languages.map(({ languageId, state }) => [languageId, state]));
  let ids = 0;
  const targetLanguages = sent.targetLanguages.map((entry, index): TargetLanguageAnswer => {
    const old = known.get(entry.targetLanguageId);
    if (!old) return { ...entry, id: layout.nextId + ids++ };
    const state = project.targetLanguages[index]?.state ?? states.get(entry.targetLanguageId) ?? entry.state;
    return { ...entry, id: old.id, state };
  });
  const named = customId !== undefined && { customId };
  return {
    head: { ...sent, ...named, creationDateUtc, startDateUtc, targetLanguages },
    layout: ids === 0 ? layout : { ...layout, nextId: layout.nextId + SEGMENT_ID_STEP },
  };
}

/** Returns the fields of a project that a put compares: without the progress, which is not the sender's. */
function comparable(head: ProjectHead, stored?: WholeProject): unknown {
  const states = new Map(stored?.work.languages.map(({ languageId, state }) => [languageId, state]));
  const targetLanguages = head.targetLanguages.map(({ progress: _, automaticTranslation: __, ...entry }) => ({
    ...entry,
    state: states.get(entry.targetLanguageId) ?? entry.state,
  }));
  // Fields that are undefined do not exist in JSON.
  return JSON.parse(JSON.stringify({ ...head, targetLanguages }));
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

function countLanguages(before: ProjectHead, after: ProjectHead) {
  const [ids, next] = [before, after].map(
    ({ targetLanguages }) => new Set(targetLanguages.map(({ targetLanguageId }) => targetLanguageId)),
  );
  if (!ids || !next) throw new TypeError('A project has target languages');
  const kept = [...next].filter((languageId) => ids.has(languageId)).length;
  return { before: ids, counts: { kept, added: next.size - kept, removed: ids.size - kept } };
}
