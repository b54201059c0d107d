import { customIdFaults } from '../contract/check-project.ts';
import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import { hashOf } from '../records/keys.ts';
import { type LastRevision, outdatedPut, readRevision, revisionRef } from '../records/revision-record.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import type { OutdatedPut, PutPlan, PutRequest } from '../service/put.ts';
import { pollBackoff, type UpstreamDeps, withTimeToRecord } from './deps.ts';
import { problemFrom } from './failures.ts';
import { type Entry, findEntry, type LedgerItem } from './ledger.ts';
import type { PutIntent } from './open-operations.ts';
import { createdCounts, intentOfPut, keptCounts } from './put-counts.ts';
import { fingerprintOfRequest, isEqualRequest } from './request-digest.ts';
import { unfinishedCreation, unfinishedDeletion } from './unfinished-operations.ts';

interface Decided {
  /** The project of the request, with the custom id that it has or gets. */
  readonly project: CheckedProject;
  readonly fingerprint: string;
  /** Absent if the put has no revision. */
  readonly last: LastRevision | undefined;
}

/** A put of a project that does not exist. It creates the project. */
export interface PutCreation extends Decided {
  readonly outcome: 'create';
  readonly intent: PutIntent;
}

/** A put of a project that equals the request already. */
export interface UnchangedPut extends Decided {
  readonly outcome: 'unchanged';
  readonly found: LedgerItem;
}

/** What a put does. */
export type DecidedPut = OutdatedPut | PutCreation | UnchangedPut;

/**
 * Decides from the ledger what a put does. The upstream service is not asked.
 * @throws {Problem} `project-not-found`; `invalid-project` if the project has another custom id; `not-supported` if the
 *   put would change the project; `unavailable` if a creation or deletion of the project does not end in time
 */
export async function decidePut(deps: UpstreamDeps, request: PutRequest, call: CallContext): Promise<DecidedPut> {
  const { ref, project, taskId, revision } = request;
  const found = await findProject(deps, ref, call);
  const named = found ? revisionRef(found.entry) : ref;
  const last = revision === undefined ? undefined : await readRevision(deps, call.companyId, named);
  const existing = found && { projectId: found.entry.id, customId: found.entry.customId };
  const late = last && outdatedPut(last, revision, existing);
  if (late) return late;
  if (!found && taskId !== undefined) throw failures.projectNotFound();
  const owned = withCustomId(project, found?.entry ?? named);
  const fingerprint = await fingerprintOfRequest(owned);
  const common = { project: owned, fingerprint, last };
  if (!found) return { outcome: 'create', intent: intentOfPut(owned, revision), ...common };
  const isEqual = isEqualRequest(found.entry.request, fingerprint) && isOnlyTask(owned, taskId);
  if (!isEqual) throw failures.notSupported(CANNOT_CHANGE[taskId === undefined ? 'project' : 'task']);
  return { outcome: 'unchanged', found, ...common };
}

const CANNOT_CHANGE = {
  project:
    'The project exists, and the request differs from the one that created it. The upstream service cannot change a project, so Segue sent nothing. To replace the project, delete it and put it again. The upstream service then starts all its work anew.',
  task: 'The upstream service cannot change a single task of a project, so Segue sent nothing. To replace the project, delete it and put the whole project. The upstream service then starts all its work anew.',
} as const;

/**
 * Finds the project that a put names; `undefined` if it must be created. Waits while another request creates the project
 * or deletes a part of it.
 * @throws {Problem} `project-not-found` if the put names an id; `unavailable` if such a request does not end in time
 */
async function findProject(deps: UpstreamDeps, ref: ProjectRef, call: CallContext): Promise<LedgerItem | undefined> {
  const { companyId } = call;
  const { pause } = pollBackoff(deps, withTimeToRecord(call).deadline);
  for (;;) {
    const entered = await findEntry(deps, ref, companyId);
    if (entered.kind !== 'ok' && 'id' in ref) throw problemFrom(entered);
    const found = entered.kind === 'ok' ? entered : undefined;
    const unfinished = found
      ? await unfinishedDeletion(deps, companyId, found.entry.id)
      : 'customId' in ref && (await unfinishedCreation(deps, companyId, ref.customId));
    if (!unfinished) return found;
    if (unfinished === 'open' || !(await pause())) throw notFinished(found ? 'deletion' : 'creation');
  }
}

function notFinished(what: 'creation' | 'deletion'): Problem {
  return new Problem('unavailable', {
    detail: `The outcome of a ${what} of the project is not known yet. Segue sent nothing. Send the put again later.`,
    retryAfterSeconds: 5,
  });
}

/**
 * Returns the project with the custom id by which it was found or will be created.
 * @throws {Problem} `invalid-project` if the request has another one
 */
function withCustomId(project: CheckedProject, own: ProjectRef | Entry): CheckedProject {
  const customId = 'customId' in own ? own.customId : null;
  const faults = [...customIdFaults(project, customId)];
  if (faults.length > 0) throw failures.invalidProject(faults);
  return customId === null ? project : { ...project, customId };
}

/** Whether a put is for the whole project, or for a task that has all of its segments. */
function isOnlyTask({ segments, taskId: own }: CheckedProject, taskId: string | undefined): boolean {
  return taskId === undefined || segments.every((segment) => (segment.taskId ?? own) === taskId);
}

/** Returns what a put would do, for its plan. */
export function putPlanOf(decided: PutCreation | UnchangedPut, { taskId }: PutRequest): Exclude<PutPlan, OutdatedPut> {
  const { project, fingerprint } = decided;
  const digest = hashOf(JSON.stringify([fingerprint, taskId ?? null]));
  return decided.outcome === 'create'
    ? { outcome: 'create', projectId: null, digest, ...createdCounts(decided.intent) }
    : { outcome: 'unchanged', projectId: decided.found.entry.id, digest, ...keptCounts(project) };
}
