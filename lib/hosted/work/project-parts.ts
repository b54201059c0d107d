import type { ByteText } from '../../service/byte-text.ts';
import { decodeText } from '../../service/encoded-text.ts';
import type { Storage } from '../../storage/port.ts';
import { type Layout, layoutIn, plainLayout } from '../layout.ts';
import { chunkRange, type PayloadFields, type StoredSegment, segmentsIn, segmentTextsIn } from '../project-payload.ts';
import { firstSegmentId, type StoredProject } from '../read-projects.ts';
import { ownRuns, runsIn, runsWithoutTasks, type TaskRuns } from './segment-tasks.ts';

/**
 * Reads the segments of one chunk of a project.
 * @returns `undefined` if the project has changed since it was read
 */
export async function readSegments(
  storage: Pick<Storage, 'readPayloadRange'>,
  project: StoredProject,
  chunk: number,
): Promise<StoredSegment[] | undefined> {
  const bytes = await readPart(storage, project, chunk);
  return bytes && segmentsIn(project.record.payload, bytes);
}

/**
 * Reads the JSON of the segments of one chunk of a project, in their order.
 * @returns `undefined` if the project has changed since it was read
 */
export async function readSegmentTexts(
  storage: Pick<Storage, 'readPayloadRange'>,
  project: StoredProject,
  chunk: number,
): Promise<ByteText[] | undefined> {
  const bytes = await readPart(storage, project, chunk);
  return bytes && segmentTextsIn(project.record.payload, bytes);
}

/** Reads the bytes of one chunk of segments in the payload of a project. */
async function readPart(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item, record: { payload } }: StoredProject,
  chunk: number,
): Promise<Uint8Array | undefined> {
  const range = chunkRange(payload, chunk);
  return range.from === range.to ? new Uint8Array() : storage.readPayloadRange(item, range);
}

/**
 * Returns the tasks of a project's segments.
 * @param bytes the payload of the project, if it was read together with the project
 * @returns `undefined` if the project has changed since it was read
 */
export async function readTaskRuns(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item, record }: Pick<StoredProject, 'item' | 'record'>,
  bytes?: Uint8Array,
): Promise<TaskRuns | undefined> {
  const { tasks } = record.payload;
  const own = ownRuns(record);
  if (own || !tasks) return own ?? runsWithoutTasks(record.segments);
  const text = await readText(storage, item, tasks, bytes);
  return text === undefined ? undefined : runsIn(text);
}

/**
 * Returns where the segments of a project and their translations are.
 * @param bytes the payload of the project, if it was read together with the project
 * @returns `undefined` if the project has changed since it was read
 */
export async function readLayout(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item, record }: Pick<StoredProject, 'item' | 'record'>,
  bytes?: Uint8Array,
): Promise<Layout | undefined> {
  const { slots, layout } = record.payload;
  if (!layout) return plainLayout(firstSegmentId(record), slots);
  const text = await readText(storage, item, layout, bytes);
  return text === undefined ? undefined : layoutIn(text, slots);
}

/** Reads a text behind the project in its payload. */
async function readText(
  storage: Pick<Storage, 'readPayloadRange'>,
  item: StoredProject['item'],
  place: NonNullable<PayloadFields['layout']>,
  bytes: Uint8Array | undefined,
): Promise<string | undefined> {
  const { from, to } = place;
  const part = bytes?.subarray(from, to) ?? (await storage.readPayloadRange(item, { from, to }));
  return part && Buffer.from(decodeText({ ...place, bytes: part })).toString();
}

/** Returns the id of a translation. Those of a segment are between its id and the next one. */
export function translationId(segmentId: number, languageId: number): number {
  return segmentId + languageId;
}
