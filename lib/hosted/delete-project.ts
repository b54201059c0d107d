import { utc } from '../contract/date.ts';
import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { commitWithResult, type ResultWrite, retryRefused } from '../idempotency/commit.ts';
import { freeCustomId, freedIn, freeForLonger } from '../records/custom-id-record.ts';
import { customIdKey, projectKey } from '../records/keys.ts';
import {
  deletionRevisionWrites,
  readRevision,
  rememberedUntil,
  requireCurrentDeletion,
  revisionRef,
} from '../records/revision-record.ts';
import { tombstoneWrites } from '../records/tombstones.ts';
import type { CallContext, DeletionScope, ProjectRef } from '../service/port.ts';
import { type Removal, requirePlanned } from '../service/removal-plan.ts';
import type { Write } from '../storage/port.ts';
import { changedProject } from './changed-project.ts';
import { readConsistently, requireTaskRuns } from './consistent-read.ts';
import type { HostedDeps } from './deps.ts';
import type { Layout } from './layout.ts';
import { headIn, payloadChunks } from './project-payload.ts';
import { findProject, type ProjectRecord, type StoredProject } from './read-projects.ts';
import { addPlaced, type PlacedRun } from './rearrange.ts';
import { finalByTask, finalCounter, finalOfTask, isCountable, withFinal } from './work/final-counts.ts';
import { addJob } from './work/jobs.ts';
import { readLayout, readTaskRuns } from './work/project-parts.ts';
import { runsWithout, type TaskRuns, tasksIn } from './work/segment-tasks.ts';
import { openView } from './work/translation-view.ts';
import { changeWork, eventWrites, holdOff, type WorkEvent } from './work/work-change.ts';
import { type LanguageWork, needsWorker, type WorkRecord, workKey } from './work/work-record.ts';

/** The writes of a deletion. */
interface RemovalWrites {
  /** The record of the project before the deletion. */
  readonly record: ProjectRecord;
  readonly writes: readonly Write[];
  /** The numbers of target languages, segments and tasks that the writes remove. */
  readonly counts: Receipt['removed'];
}

/**
 * Deletes a project or a task in one commit. After the commit, nobody can read the project or task. The commit fails
 * unless the caller's API key and company are still active.
 * @param resultWrite makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} `project-not-found`, `task-not-found`, `plan-outdated`, `unauthenticated`, `company-suspended`
 */
export async function deleteFromStore(
  deps: HostedDeps,
  ref: ProjectRef,
  scope: DeletionScope,
  call: CallContext,
  resultWrite: ResultWrite<Receipt> | undefined,
): Promise<Receipt> {
  const { storage, now, guard, recoverableMs } = deps;
  const taskId = scope.kind === 'task' ? scope.taskId : undefined;
  const remainders = new Map<string, Remainder>();
  let presumed = guard.presume(call);
  return retryRefused(call, async () => {
    const held = presumed ?? (await guard.require(call));
    // The presumed check may be the reason if the store refuses this attempt. So the next attempt reads the key's
    // state.
    presumed = undefined;
    const deletedAtMs = now();
    const removal =
      scope.kind === 'project'
        ? removeProject(deps, ref, scope.revision, call, deletedAtMs)
        : removeTask(deps, ref, scope.taskId, call, remainders);
    const removed = await removal.catch(async (error: unknown) => {
      // A caller with a revoked key must not learn that a project is absent.
      const still = await guard.require(call);
      const isRemembered = await rememberAbsent(deps, ref, scope, call, { error, held: still });
      if (isRemembered === false) return undefined;
      throw error;
    });
    if (!removed) return undefined;
    const { record, writes, counts } = removed;
    const receipt: Receipt = {
      scope: scope.kind,
      projectId: record.id,
      customId: record.customId,
      taskId: taskId ?? null,
      outcome: 'deleted',
      deletedAtUtc: utc(deletedAtMs),
      removed: counts,
      requestedBy: call.requestedBy,
      ...(recoverableMs !== undefined && { unrecoverableAfterUtc: utc(deletedAtMs + recoverableMs) }),
    };
    const batch = { writes: [...writes, ...(held ? [held] : [])], deadline: call.deadline };
    const refused = await commitWithResult(storage, batch, resultWrite, receipt);
    return refused === undefined ? receipt : undefined;
  });
}

/**
 * Counts what a deletion would remove, as `deleteFromStore` does.
 * @throws {Problem} `project-not-found`, `task-not-found`
 */
export function readRemoval(
  deps: HostedDeps,
  ref: ProjectRef,
  scope: DeletionScope,
  call: CallContext,
): Promise<Removal> {
  return readConsistently(deps, ref, call, async (project) => {
    const { id: projectId, customId, targetLanguages, segments, tasks } = project.record;
    if (scope.kind === 'project') {
      return { projectId, customId, taskId: null, removes: { targetLanguages, segments, tasks } };
    }
    const { taskId } = scope;
    const runs = await requireTaskRuns(deps, project, taskId);
    return { projectId, customId, taskId, removes: taskCounts(runs, taskId) };
  });
}

/**
 * Remembers the revision of a deletion that has found no project with a custom id, so that a late put does not create it.
 * @returns `false` if another request has changed what is remembered, so that another attempt is needed
 * @throws {Problem} `revision-outdated`
 */
async function rememberAbsent(
  deps: HostedDeps,
  ref: ProjectRef,
  scope: DeletionScope,
  { companyId, deadline }: CallContext,
  { error, held }: { readonly error: unknown; readonly held: Write | undefined },
): Promise<boolean> {
  const isAbsent = error instanceof Problem && error.name === 'project-not-found';
  if (!isAbsent || !('customId' in ref) || scope.kind !== 'project' || scope.revision === undefined) return true;
  const last = await readRevision(deps, companyId, ref);
  requireCurrentDeletion(last, scope.revision);
  const key = customIdKey(companyId, ref.customId);
  const deletedAtMs = deps.now();
  const writes = [
    freeForLonger(key, freedIn(await deps.storage.read(key)), rememberedUntil(deletedAtMs)),
    ...deletionRevisionWrites(last, scope.revision, deletedAtMs),
    ...(held ? [held] : []),
  ];
  return (await deps.storage.commit({ writes, deadline })).ok;
}

/** @param revision that of the deletion, if it has one */
async function removeProject(
  deps: HostedDeps,
  ref: ProjectRef,
  revision: number | undefined,
  call: CallContext,
  deletedAtMs: number,
): Promise<RemovalWrites> {
  const { companyId } = call;
  const { record, version, drops, work, workVersion, isAsCreated } = await findProject(deps, ref, companyId);
  const isRevised = revision !== undefined || record.isRevised;
  const last = isRevised && (await readRevision(deps, companyId, revisionRef(record)));
  if (last) requireCurrentDeletion(last, revision);
  const { id, customId, targetLanguages, segments, tasks } = record;
  const counts = { targetLanguages, segments, tasks };
  requirePlanned(call.planned, { projectId: id, taskId: null, removes: counts });
  const writes: Write[] = [{ kind: 'remove', key: projectKey(companyId, id), version, drops }];
  if (workVersion > 0) writes.push({ kind: 'remove', key: workKey(companyId, id), version: workVersion });
  const remembered = last ? deletionRevisionWrites(last, revision, deletedAtMs) : [];
  if (customId !== null) {
    const untilMs = remembered.length > 0 ? rememberedUntil(deletedAtMs) : undefined;
    writes.push(freeCustomId(customIdKey(companyId, customId), record.customIdVersion ?? 1, untilMs));
  }
  // The job removes the translations, which nobody can read any more. They exist only if the work has changed.
  if (!isAsCreated) writes.push(addJob({ companyId, projectId: id, atMs: deletedAtMs }, call));
  writes.push(...tombstoneWrites(call, record, deletedAtMs));
  writes.push(...remembered);
  writes.push(...eventWrites(deps, call, id, work, [{ type: 'project.deleted' }]));
  return { record, writes, counts };
}

/** What is left of a project without a task: its tasks, and its data and payload for the store. */
interface Remainder {
  readonly before: TaskRuns;
  /** The layout before. */
  readonly layout: Layout;
  readonly data: ProjectRecord;
  readonly bytes: Uint8Array;
}

/**
 * Makes the writes that remove a task. A large project takes long to encode, and an engine may change the work on it all
 * the time. So the first attempt only prepares the remainder, and the next one commits it.
 * @param remainders the remainders of earlier attempts, by the id and version of the project
 * @returns `undefined` if another attempt is needed
 */
async function removeTask(
  deps: HostedDeps,
  ref: ProjectRef,
  taskId: string,
  call: CallContext,
  remainders: Map<string, Remainder>,
): Promise<RemovalWrites | undefined> {
  const { companyId } = call;
  const stored = await findProject(deps, ref, companyId);
  const { id, record, version, drops } = stored;
  const name = `${id}/${version}`;
  const remainder = remainders.get(name);
  if (!remainder) {
    const made = await remainderOf(deps, stored, taskId, call);
    if (made) remainders.set(name, made);
    return undefined;
  }
  // The first attempt after the preparation holds the worker off.
  if (await holdOff(deps.storage, companyId, stored, deps.now())) return undefined;
  const { before, data, bytes } = remainder;
  const work = await workWithout(deps, companyId, stored, remainder, taskId);
  const event: WorkEvent = { type: 'task.deleted', data: { taskId } };
  const change = await changeWork(deps, call, stored, work, [event], { replacement: { drops, data, bytes } });
  const writes: Write[] = [
    ...change.writes,
    ...(needsWorker(change.work) ? [addJob({ companyId, projectId: id, atMs: deps.now() }, call)] : []),
  ];
  return { record, writes, counts: taskCounts(before, taskId) };
}

/** Returns what the deletion of a task removes. */
function taskCounts(runs: TaskRuns, taskId: string) {
  return { targetLanguages: 0, segments: tasksIn(runs).get(taskId) ?? 0, tasks: 1 };
}

/**
 * Makes the remainder of a project without a task. Checks the plan before anything else, so that nobody can repeat the
 * work with an outdated one.
 * @returns `undefined` if the project has changed since it was read
 * @throws {Problem} `task-not-found`, `plan-outdated`
 */
async function remainderOf(
  { storage }: HostedDeps,
  project: StoredProject,
  taskId: string,
  { companyId, planned }: CallContext,
): Promise<Remainder | undefined> {
  const { id, version, item, record } = project;
  const before = await readTaskRuns(storage, project);
  if (!before) return undefined;
  if (!tasksIn(before).has(taskId)) throw failures.taskNotFound();
  const counts = taskCounts(before, taskId);
  requirePlanned(planned, { projectId: id, taskId, removes: counts });
  const whole = item.bytes ? { item, bytes: item.bytes } : await storage.readWithPayload(projectKey(companyId, id));
  if (whole?.item.version !== version) return undefined;
  const { payload } = record;
  const present = headIn(payload, whole.bytes.subarray(...payload.offsets.slice(0, 2)));
  const { taskId: own, ...others } = present;
  const head = own === taskId ? others : undefined;
  const layout = await readLayout(storage, project, whole.bytes);
  if (!layout) return undefined;
  const kept: PlacedRun[] = [];
  let end = 0;
  for (const [task, count] of before) {
    if (task !== taskId) addPlaced(kept, { before: end, count });
    end += count;
  }
  const changed = await changedProject(payloadChunks({ payload, bytes: whole.bytes }), project, layout, {
    head: head ?? present,
    order: kept,
    tasks: runsWithout(before, taskId),
  });
  return { before, ...changed, layout };
}

/** Makes the work record of a project that loses a task. @param runs the tasks of the project before */
async function workWithout(
  { storage }: HostedDeps,
  companyId: string,
  project: StoredProject,
  { before: runs, layout }: Pick<Remainder, 'before' | 'layout'>,
  taskId: string,
): Promise<WorkRecord> {
  const { work, isAsCreated } = project;
  const index = [...tasksIn(runs).keys()].indexOf(taskId);
  const total = tasksIn(runs).get(taskId) ?? 0;
  const after = { ...work, segments: work.segments - total };
  const isCounted = isCountable(work, tasksIn(runs).size);
  const languages: LanguageWork[] = [];
  let counter: ReturnType<typeof finalCounter> | undefined;
  for (const language of work.languages) {
    let lost = finalOfTask(work, language, { index, total });
    if (lost === undefined) {
      counter ??= finalCounter(await openView(storage, companyId, project, layout), runs, taskId);
      lost = (await counter(language))[index] ?? 0;
    }
    const byTask = isCounted ? finalByTask(work, language, runs)?.toSpliced(index, 1) : undefined;
    languages.push(withFinal(after, language, { total: language.final - lost, byTask }));
  }
  return { ...after, languages, hasStale: work.hasStale || !isAsCreated };
}
