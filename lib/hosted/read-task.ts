import * as failures from '../contract/failures.ts';
import { retryRefused } from '../idempotency/commit.ts';
import { bytesIn } from '../service/byte-text.ts';
import { encodePieces } from '../service/encoded-text.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import { decodePart } from '../service/text-parts.ts';
import { nextTurn } from '../service/turn.ts';
import type { HostedDeps } from './deps.ts';
import { chunkRange, countsIn, headIn, headText, segmentTextsIn } from './project-payload.ts';
import { findWhole, type WholeProject } from './read-projects.ts';
import { readTaskRuns } from './work/project-parts.ts';
import { positionsOf, tasksIn } from './work/segment-tasks.ts';
import { offsetsByPart } from './work/translation-view.ts';
import { withWork } from './work/work-record.ts';

/**
 * Reads a project with only the segments of one task. Decodes only the chunks that have them, and parses no segment.
 * @throws {Problem} `project-not-found`, `task-not-found`
 */
export function readTask(
  deps: HostedDeps,
  ref: ProjectRef,
  taskId: string,
  call: CallContext,
): Promise<ProjectDocument> {
  return retryRefused(call, async () => {
    const project = await findWhole(deps, ref, call.companyId);
    const { record, bytes } = project;
    const { id, targetLanguages } = record;
    const runs = await readTaskRuns(deps.storage, project, bytes);
    if (!runs) return undefined;
    const segments = tasksIn(runs).get(taskId);
    if (segments === undefined) throw failures.taskNotFound();
    const positions = positionsOf(runs, (task) => task === taskId);
    const json = await encodePieces(piecesOf(project, positions), { isGzip: true });
    return { id, segments, targetLanguages, json };
  });
}

/** Yields the JSON of a project with the segments at some positions. Other requests run between two chunks. */
async function* piecesOf(project: WholeProject, positions: Iterable<number>): AsyncGenerator<Uint8Array[]> {
  const { record, bytes } = project;
  const { payload } = record;
  yield [headOf(project)];
  let before = '';
  for (const [chunk, offsets] of offsetsByPart(countsIn(payload), positions)) {
    const { from, to } = chunkRange(payload, chunk);
    const texts = segmentTextsIn(payload, bytes.subarray(from, to));
    yield [bytesIn(before + offsets.map((offset) => texts[offset]).join(','))];
    before = ',';
    await nextTurn();
  }
  yield [Buffer.from(']}')];
}

/** Returns the first part of a project's JSON with its present work. */
function headOf({ record, bytes, work, isAsCreated }: WholeProject): Uint8Array {
  const { payload } = record;
  const part = bytes.subarray(...payload.offsets.slice(0, 2));
  return isAsCreated ? decodePart(payload.encoding, part) : headText(withWork(headIn(payload, part), work));
}
