import type { SegmentAnswer } from '../../contract/project-answer.ts';
import { projectKey } from '../../idempotency/project-item.ts';
import { projectIn } from '../../service/project-document.ts';
import type { Storage } from '../../storage/port.ts';
import { chunkRange, firstSegmentId, segmentsIn } from '../project-payload.ts';
import { documentIn, type StoredProject } from '../read-projects.ts';
import { REMOVED, type TaskRuns, taskRunsOf, unpackTaskRuns } from './segment-tasks.ts';

/**
 * Reads the segments of one chunk of a project.
 * @returns `undefined` if the project has changed since it was read
 */
export async function readSegments(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item, record: { payload } }: StoredProject,
  chunk: number,
): Promise<SegmentAnswer[] | undefined> {
  const range = chunkRange(payload, chunk);
  if (range.from === range.to) return [];
  const bytes = await storage.readPayloadRange(item, range);
  return bytes && segmentsIn(payload, bytes);
}

/**
 * Returns the tasks of a project's slots. Reads the whole project if its item has no room for them.
 * @returns `undefined` if the project has changed since it was read
 */
export async function readTaskRuns(
  storage: Pick<Storage, 'readWithPayload'>,
  companyId: string,
  { record, version }: StoredProject,
): Promise<TaskRuns | undefined> {
  const runs = unpackTaskRuns(record.taskRuns);
  if (runs) return runs;
  const whole = await storage.readWithPayload(projectKey(companyId, record.id));
  if (whole?.item.version !== version) return undefined;
  const slots = record.payload.slots.reduce((sum, count) => sum + count, 0);
  return taskRunsOf(projectIn(documentIn(whole)), firstSegmentId(record), slots);
}

/** Returns for each slot of a project whether it has a segment. */
export function presentSlots(runs: TaskRuns): boolean[] {
  return runs.flatMap(([task, count]) => Array.from({ length: count }, () => task !== REMOVED));
}
