import { commitWithResult, type ResultWrite, retryRefused } from '../../idempotency/commit.ts';
import type { DonePut, RecordedPut } from '../../idempotency/requests/put-project.ts';
import { projectKey } from '../../records/keys.ts';
import { type LastRevision, outdatedPut, putRevisionWrites } from '../../records/revision-record.ts';
import { creationCounts } from '../../service/creation-counts.ts';
import type { CallContext } from '../../service/port.ts';
import type { PutPlan, PutRequest, PutResult } from '../../service/put.ts';
import { requirePlannedPut } from '../../service/put-plan.ts';
import { requirePutScopes } from '../../service/put-scopes.ts';
import type { Write } from '../../storage/port.ts';
import { checkCreation, newProject, readKept } from '../create-project.ts';
import type { HostedDeps } from '../deps.ts';
import { documentAt, type StoredProject } from '../read-projects.ts';
import { addJob } from '../work/jobs.ts';
import { openView } from '../work/translation-view.ts';
import { changeWork, holdOff, type WorkChange, type WorkEvent } from '../work/work-change.ts';
import { needsWorker } from '../work/work-record.ts';
import { type ComparedPut, type JudgedPut, judgePut } from './judge-put.ts';
import { digestOfPut } from './put-digest.ts';
import { workAfterPut } from './work-of-put.ts';

/**
 * Makes a project be what a request says, in one commit. If another request has changed the project since it was read, the
 * store refuses the commit, and the put is compared with the project as it then stands.
 * @param resultWrite makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} those of `ProjectChanges.put`
 */
export function putInStore(
  deps: HostedDeps,
  request: PutRequest,
  call: CallContext,
  resultWrite: ResultWrite<RecordedPut> | undefined,
): Promise<PutResult> {
  const { storage, guard, now } = deps;
  const { deadline, companyId } = call;
  const known = new Map<string, ComparedPut>();
  let presumed = guard.presume(call);
  let isRefused = false;
  let isCreationRefused = false;

  /** Commits writes with the result. @returns whether the store has committed them */
  async function commit(writes: readonly Write[], result: RecordedPut): Promise<boolean> {
    return (await commitWithResult(storage, { writes, deadline }, resultWrite, result)) === undefined;
  }

  return retryRefused(call, async () => {
    const judged = await judgePut(deps, request, call, known);
    if (!judged) return undefined;
    const { last, stored, compared } = judged;
    const existing = stored && { projectId: stored.id, customId: stored.record.customId };
    const late = last && outdatedPut(last, request.revision, existing);
    if (late) return !resultWrite || (await commit(checkOf(last), late)) ? late : undefined;
    const plan = await planOf(deps, request, call, judged, request.planned !== undefined);
    requirePlannedPut(request.planned, plan);
    const { outcome, segments, targetLanguages, automaticCharacters } = plan;
    const counts = { segments, targetLanguages, automaticCharacters };
    requirePutScopes(call.scopes, plan);
    const remembered = last ? revisionWrites(last, request.revision, now()) : [];
    // A new revision holds back puts of others, so that it is a change of the project.
    if (stored && remembered.some(({ kind }) => kind !== 'check'))
      requirePutScopes(call.scopes, { ...plan, outcome: 'update' });
    if (!stored || !compared) {
      const project = { ...request.project, ...('customId' in request.ref && { customId: request.ref.customId }) };
      await checkCreation(deps, project, call);
      // Only a custom id that had a project may have a revision to keep.
      const mayKeep = isCreationRefused || last?.known?.expiresAtMs !== undefined;
      const kept = mayKeep && project.customId !== undefined ? await readKept(deps, project.customId, call, last) : {};
      const made = await newProject(deps, project, call, { ...kept, ...(last && { writes: remembered }) });
      const { id: projectId } = made.document;
      const done: DonePut = { ...counts, outcome, projectId, customId: project.customId ?? null };
      isCreationRefused = !(await commit(made.batch.writes, done));
      return isCreationRefused ? undefined : { ...done, document: async () => made.document };
    }
    const { id: projectId, record, version, work } = stored;
    const done: DonePut = { ...counts, outcome, projectId, customId: record.customId };
    if (outcome === 'unchanged' && (!last || record.isRevised)) {
      const writes: Write[] = [{ kind: 'check', key: projectKey(companyId, projectId), version }, ...remembered];
      const isWritten = resultWrite !== undefined || remembered.some(({ kind }) => kind !== 'check');
      if (isWritten && !(await commit(writes, done))) return undefined;
      return { ...done, document: async () => documentAt(record, compared.whole.bytes, work) };
    }
    // An engine may change the work all the time. After a refusal, the put holds it off.
    if (isRefused && (await holdOff(storage, companyId, stored, now()))) return undefined;
    isRefused = true;
    const isLosing = segments.removed + targetLanguages.removed > 0;
    const held = isLosing ? (presumed ?? (await guard.require(call))) : undefined;
    presumed = undefined;
    const change = await changeOf(deps, call, stored, compared, last !== undefined);
    const jobs = needsWorker(change.work) ? [addJob({ companyId, projectId, atMs: now() }, call)] : [];
    const writes = [...change.writes, ...jobs, ...remembered, ...(held ? [held] : [])];
    const { data, bytes } = await compared.after();
    if (!(await commit(writes, done))) return undefined;
    return { ...done, document: async () => documentAt(data, bytes, change.work) };
  });
}

/**
 * Returns what a put would do now.
 * @throws {Problem} those of `ProjectChanges.planPut`
 */
export function planPutInStore(deps: HostedDeps, request: PutRequest, call: CallContext): Promise<PutPlan> {
  return retryRefused(call, async () => {
    const judged = await judgePut(deps, request, call, new Map());
    if (!judged) return undefined;
    const late = judged.last && outdatedPut(judged.last, request.revision);
    if (!late && !judged.stored) await checkCreation(deps, request.project, call);
    return late ?? planOf(deps, request, call, judged, true);
  });
}

/** The plan of a put that is not outdated. */
type PlannedPut = Exclude<PutPlan, { readonly outcome: 'outdated' }>;

/** @param isDigested whether the plan needs its digest, for which translations are read */
async function planOf(
  { storage }: HostedDeps,
  request: PutRequest,
  { companyId }: CallContext,
  { stored, compared }: JudgedPut,
  isDigested: boolean,
): Promise<PlannedPut> {
  if (!stored || !compared) {
    const digest = isDigested ? await digestOfPut(request) : '';
    return { ...creationCounts(request.project), outcome: 'create', projectId: null, digest };
  }
  const { change, layout } = compared;
  const open = () => openView(storage, companyId, stored, layout);
  const digest = isDigested ? await digestOfPut(request, { stored, change, open }) : '';
  return { ...change.counts, outcome: change.isUnchanged ? 'unchanged' : 'update', projectId: stored.id, digest };
}

/** Makes the writes that remember a revision. If it is known already, they check that no other one has come between. */
function revisionWrites(last: LastRevision, revision: number | undefined, nowMs: number): Write[] {
  const writes = putRevisionWrites(last, revision, nowMs);
  return writes.length > 0 ? writes : checkOf(last);
}

function checkOf({ key, known }: LastRevision): Write[] {
  return known ? [{ kind: 'check', key, version: known.version }] : [];
}

/** Makes the writes that change a project. @param isRevised whether its item notes that it has a revision */
async function changeOf(
  deps: HostedDeps,
  call: CallContext,
  stored: StoredProject,
  { change, layout, runs, after }: ComparedPut,
  isRevised: boolean,
): Promise<WorkChange> {
  const { data, bytes, layout: next } = await after();
  const fields = isRevised && { isRevised: true as const };
  const replacement = { drops: stored.drops, data: { ...data, ...fields }, bytes };
  // The first revision of a project that is equal already is noted without an event.
  if (change.isUnchanged) return changeWork(deps, call, stored, stored.work, [], { isAssigning: true, replacement });
  const open = () => openView(deps.storage, call.companyId, stored, layout);
  const { work, events } = await workAfterPut({ project: stored, runs, openView: open }, change, next);
  const updated: WorkEvent = { type: 'project.updated', data: change.counts.segments };
  return changeWork(deps, call, stored, work, [updated, ...events], { replacement });
}
