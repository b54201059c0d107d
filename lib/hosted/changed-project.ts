import type { ProjectHead } from '../contract/project-answer.ts';
import { withoutHead } from '../records/project-head.ts';
import type { ByteText } from '../service/byte-text.ts';
import { headFields } from './create-project.ts';
import { encodeLayout, type Layout } from './layout.ts';
import { type PayloadChunks, withTexts } from './project-payload.ts';
import type { ProjectRecord, StoredProject } from './read-projects.ts';
import { nextLayout, type PlacedRun, rearranged, sizeOf } from './rearrange.ts';
import { encodeTasks, type TaskRuns, withoutTasks } from './work/segment-tasks.ts';

/** What a project becomes. */
export interface Change {
  readonly head: ProjectHead;
  /** All segments in their new order. */
  readonly order: readonly PlacedRun[];
  /** Whether the segments, their order and the target languages stay. */
  readonly isSameLayout?: boolean;
  readonly tasks: TaskRuns;
  /** Returns the JSON of a segment that is new or different; by default none is. */
  readonly textOf?: (position: number, id: number) => ByteText;
}

/** The item of a changed project. */
export interface ChangedProject {
  readonly layout: Layout;
  readonly data: ProjectRecord;
  readonly bytes: Uint8Array;
}

/**
 * Makes the item of a project whose segments, fields or target languages change.
 * @param chunks those of the project's payload
 */
export async function changedProject(
  chunks: PayloadChunks,
  { record, work }: Pick<StoredProject, 'record' | 'work'>,
  layout: Layout,
  { head, order, isSameLayout = false, tasks: runs, textOf = noText }: Change,
): Promise<ChangedProject> {
  const next = isSameLayout ? layout : await nextLayout(layout, order, !work.hasStale);
  const [rest, tasks, text] = await Promise.all([
    rearranged(chunks, next, head, order, textOf),
    encodeTasks(runs),
    next.edition > 0 ? encodeLayout(next) : undefined,
  ]);
  const stored = withTexts(rest, { tasks: tasks.text, layout: text });
  const data: ProjectRecord = {
    ...withoutTasks(withoutHead(record)),
    ...(await headFields(head, stored.bytes)),
    ...tasks.fields,
    targetLanguages: head.targetLanguages.length,
    sourceLanguageId: head.sourceLanguageId,
    segments: sizeOf(order),
    payload: stored.payload,
  };
  return { layout: next, data, bytes: stored.bytes };
}

function noText(): never {
  throw new RangeError('A segment that is new or different has no JSON');
}
