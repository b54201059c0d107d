import type { ByteText } from '../../service/byte-text.ts';
import { decodeText } from '../../service/encoded-text.ts';
import type { Storage } from '../../storage/port.ts';
import { chunkRange, firstSegmentId, type StoredSegment, segmentsIn, segmentTextsIn } from '../project-payload.ts';
import type { ProjectRecord, StoredProject } from '../read-projects.ts';
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
 * Reads the JSON of the segments of one chunk of a project, by their offsets in the chunk.
 * @returns `undefined` if the project has changed since it was read
 */
export async function readSegmentTexts(
  storage: Pick<Storage, 'readPayloadRange'>,
  project: StoredProject,
  chunk: number,
): Promise<ByteText[] | undefined> {
  const bytes = await readPart(storage, project, chunk);
  return bytes && segmentTextsIn(project.record.payload, bytes, firstIdOfChunk(project.record, chunk));
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
 * Returns the tasks of a project's slots.
 * @param bytes the payload of the project, if it was read together with the project
 * @returns `undefined` if the project has changed since it was read
 */
export async function readTaskRuns(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item, record }: Pick<StoredProject, 'item' | 'record'>,
  bytes?: Uint8Array,
): Promise<TaskRuns | undefined> {
  const { tasks, slots } = record.payload;
  const own = ownRuns(record);
  if (own || !tasks) return own ?? runsWithoutTasks(slots);
  const { from, to } = tasks;
  const part = bytes?.subarray(from, to) ?? (await storage.readPayloadRange(item, { from, to }));
  return part && runsIn(Buffer.from(decodeText({ ...tasks, bytes: part })).toString());
}

/** Returns the id of the segment in the first slot of a chunk. */
export function firstIdOfChunk(record: ProjectRecord, chunk: number): number {
  return record.payload.slots.slice(0, chunk).reduce((sum, count) => sum + count, firstSegmentId(record));
}

/** Returns the id of a translation. The ids of a project's translations follow those of its segments. */
export function translationId(record: ProjectRecord, language: number, segmentId: number): number {
  const slots = record.payload.slots.reduce((sum, count) => sum + count, 0);
  return segmentId + slots * (language + 1);
}
