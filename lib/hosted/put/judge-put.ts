import { checkEnd, customIdFaults } from '../../contract/check-project.ts';
import * as failures from '../../contract/failures.ts';
import type { Fault } from '../../contract/faults.ts';
import { lazy } from '../../contract/lazy.ts';
import { LIMITS } from '../../contract/limits.ts';
import { Problem } from '../../contract/problem.ts';
import { taskFaults } from '../../contract/rules.ts';
import { sentenceFaults } from '../../contract/sentence-count.ts';
import { projectKey } from '../../records/keys.ts';
import { type LastRevision, outdatedPut, readRevision, revisionRef } from '../../records/revision-record.ts';
import type { CallContext } from '../../service/port.ts';
import type { PutRequest } from '../../service/put.ts';
import { type ChangedProject, changedProject } from '../changed-project.ts';
import { receiverFaults } from '../create-project.ts';
import type { HostedDeps } from '../deps.ts';
import { requirePairs } from '../language-pairs.ts';
import type { Layout } from '../layout.ts';
import { payloadChunks } from '../project-payload.ts';
import { findProject, type StoredProject, type WholeProject } from '../read-projects.ts';
import { readLayout, readTaskRuns } from '../work/project-parts.ts';
import type { TaskRuns } from '../work/segment-tasks.ts';
import { MAX_EVENTS } from '../work/work-change.ts';
import { changeOfPut, type PutChange } from './put-change.ts';

/** A put that was compared with its project. It holds until the item of the project changes. */
export interface ComparedPut {
  readonly whole: WholeProject;
  readonly runs: TaskRuns;
  readonly layout: Layout;
  readonly change: PutChange;
  /** Makes the item after the put. */
  readonly after: () => Promise<ChangedProject>;
}

/** A put, and what was read of its project. */
export interface JudgedPut {
  /** Absent if the put has no revision. */
  readonly last: LastRevision | undefined;
  /** Absent if the project does not exist, so that the put creates it. */
  readonly stored?: StoredProject;
  /** Absent if the project does not exist, or if the put comes too late. */
  readonly compared?: ComparedPut;
}

/**
 * Reads the project of a put, and compares them.
 * @param known the comparisons of earlier attempts, by the id and version of the project
 * @returns `undefined` if the project has changed since it was read
 * @throws {Problem} `project-not-found`, `invalid-project`, `too-large`
 */
export async function judgePut(
  deps: HostedDeps,
  request: PutRequest,
  call: CallContext,
  known: Map<string, ComparedPut>,
): Promise<JudgedPut | undefined> {
  const { ref, taskId, revision } = request;
  const { companyId } = call;
  const readLast = (of: PutRequest['ref']) => (revision === undefined ? undefined : readRevision(deps, companyId, of));
  // The revision is read before the project. So the store refuses the commit if a change has come between.
  const named = 'customId' in ref ? await readLast(ref) : undefined;
  const stored = await findProject(deps, ref, companyId).catch((error: unknown) => {
    const mayCreate = 'customId' in ref && taskId === undefined;
    if (mayCreate && error instanceof Problem && error.name === 'project-not-found') return undefined;
    throw error;
  });
  if (!stored) return { last: named };
  const last = named ?? (await readLast(revisionRef(stored.record)));
  if (last && outdatedPut(last, revision)) return { last, stored };
  const name = `${stored.id}/${stored.version}`;
  const compared = known.get(name) ?? (await compare(deps, stored, request, call));
  if (!compared) return undefined;
  known.clear();
  known.set(name, compared);
  return { last, stored, compared };
}

/** Compares a put with its project. @returns `undefined` if the project has changed since it was read */
async function compare(
  deps: HostedDeps,
  stored: StoredProject,
  request: PutRequest,
  call: CallContext,
): Promise<ComparedPut | undefined> {
  const { project, taskId } = request;
  const { item, version, record, id } = stored;
  const key = projectKey(call.companyId, id);
  const read = item.bytes ? { item, bytes: item.bytes } : await deps.storage.readWithPayload(key);
  if (read?.item.version !== version) return undefined;
  const whole: WholeProject = { ...stored, bytes: read.bytes };
  const runs = await readTaskRuns(deps.storage, stored, whole.bytes);
  const layout = await readLayout(deps.storage, stored, whole.bytes);
  if (!runs || !layout) return undefined;
  const chunks = payloadChunks({ payload: record.payload, bytes: whole.bytes });
  const change = await changeOfPut(whole, chunks, layout, request);
  const { head } = change;
  const faults = [...customIdFaults(project, record.customId)];
  if (taskId === undefined) {
    checkEnd(project, head.startDateUtc, [...faults, ...receiverFaults(deps, project)]);
    requireFewStates(change, stored);
    if (call.supportsPair) await requirePairs(call.supportsPair, project, call);
  } else {
    faults.push(...taskPutFaults(change, request, taskId));
    if (faults.length > 0) throw failures.invalidProject(faults);
  }
  const made = lazy(() => changedProject(chunks, stored, change.layout, change));
  if (taskId !== undefined) requireSmall(change, await made());
  return { whole, runs, layout, change, after: made };
}

/** @throws {Problem} `invalid-project` if the put would report more changed states than one commit can have */
function requireFewStates({ states }: PutChange, { work }: StoredProject): void {
  const changed = work.languages.filter(({ languageId, state }) => (states.get(languageId) ?? state) !== state).length;
  if (changed < MAX_EVENTS) return;
  const detail = `The put changes the state of ${changed} target languages. Change fewer than ${MAX_EVENTS} at once.`;
  throw failures.invalidProject([{ pointer: '/targetLanguages', code: 'too-many', detail }]);
}

/** Yields the faults of a put of one task: of its segments, and of the whole project after it. */
function* taskPutFaults({ head, all }: PutChange, { project }: PutRequest, taskId: string): Generator<Fault> {
  for (const [index, segment] of project.segments.entries()) {
    if (segment.taskId === undefined || segment.taskId === taskId) continue;
    const detail = 'The put changes one task only. Give the segment that task id, or leave the field out.';
    yield { pointer: `/segments/${index}/taskId`, code: 'not-the-same', detail };
  }
  if (all.length > LIMITS.segments) {
    const detail = `The project would have ${all.length} segments. It may have ${LIMITS.segments}.`;
    yield { pointer: '/segments', code: 'too-many', detail };
  }
  yield* taskFaults({ taskId: head.taskId, targetLanguages: head.targetLanguages, segments: all });
  yield* sentenceFaults(head.targetLanguages, all);
}

/** The least number of bytes by which the service makes each segment longer: its id. */
const ADDED_BYTES = '"id":228899643141237,'.length;

/** @throws {Problem} `too-large` if the project would be longer than a creation may be */
function requireSmall({ size }: PutChange, { data }: ChangedProject): void {
  if (data.payload.length > LIMITS.bodyBytes + size * ADDED_BYTES) throw failures.tooLarge(LIMITS.bodyBytes);
}
