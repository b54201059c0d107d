import { utc } from '../contract/date.ts';
import type { Project } from '../contract/project-answer.ts';
import type { Receipt } from '../contract/receipt.ts';
import { commitWithResult, retryRefused } from '../idempotency/commit.ts';
import { customIdKey, projectKey, withoutHead } from '../idempotency/project-item.ts';
import type { ResultWrite } from '../idempotency/run-idempotent.ts';
import { tombstoneWrites } from '../idempotency/tombstones.ts';
import { requirePlanned } from '../service/planned-deletion.ts';
import { type CallContext, type DeletionScope, failures, type ProjectRef } from '../service/port.ts';
import { projectIn } from '../service/project-document.ts';
import type { Write } from '../storage/port.ts';
import { itemContent } from './create-project.ts';
import type { HostedDeps } from './deps.ts';
import { documentIn, findProject, type ProjectRecord, type StoredProject } from './read-projects.ts';
import { withoutTask } from './tasks.ts';
import { countFinal, withFinal } from './work/final-counts.ts';
import { addJob } from './work/jobs.ts';
import {
  encodeTasks,
  REMOVED,
  type StoredTasks,
  slotsOf,
  type TaskRuns,
  taskRunsOf,
  tasksWrites,
  withoutTasks,
} from './work/segment-tasks.ts';
import { openView } from './work/translation-view.ts';
import { changeWork, eventWrites, holdOff } from './work/work-change.ts';
import { needsWorker, type WorkRecord, workKey } from './work/work-record.ts';

/** The writes of a deletion. */
interface Removal {
  /** The record of the project before the deletion. */
  readonly record: ProjectRecord;
  readonly writes: readonly Write[];
  /** The numbers of target languages, segments and tasks that the writes remove. */
  readonly counts: Receipt['removed'];
}

/**
 * Deletes a project or a task in one commit. After the commit, nobody can read the project or task. The commit fails
 * unless the caller's API key and company are still active.
 * @param settle makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} `project-not-found`, `task-not-found`, `plan-outdated`, `unauthenticated`, `company-suspended`
 */
export async function deleteProject(
  deps: HostedDeps,
  ref: ProjectRef,
  scope: DeletionScope,
  call: CallContext,
  settle: ResultWrite | undefined,
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
      taskId === undefined
        ? removeProject(deps, ref, call, deletedAtMs)
        : removeTask(deps, ref, taskId, call, remainders);
    const planned = removal.then((removed) => {
      if (removed) requirePlanned(call.planned, removalOf(removed, taskId));
      return removed;
    });
    const removed = await planned.catch(async (error: unknown) => {
      // A caller with a revoked key must not learn that a project is absent.
      await guard.require(call);
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
    const refused = await commitWithResult(storage, batch, settle, { kind: 'deleted', receipt });
    return refused === undefined ? receipt : undefined;
  });
}

function removalOf({ record, counts }: Removal, taskId: string | undefined) {
  return { projectId: record.id, taskId: taskId ?? null, removes: counts };
}

async function removeProject(
  deps: HostedDeps,
  ref: ProjectRef,
  call: CallContext,
  deletedAtMs: number,
): Promise<Removal> {
  const { companyId } = call;
  const { record, version, drops, work, workVersion } = await findProject(deps, ref, companyId);
  const { id, customId, targetLanguages, segments, tasks } = record;
  const writes: Write[] = [
    { kind: 'remove', key: projectKey(companyId, id), version, drops },
    { kind: 'remove', key: workKey(companyId, id), version: workVersion },
    ...tasksWrites(companyId, id, record),
  ];
  // The item of a custom id never changes, so its version is 1.
  if (customId !== null) writes.push({ kind: 'remove', key: customIdKey(companyId, customId), version: 1 });
  // The job removes the translations, which nobody can read any more. They exist only if the work has changed.
  if (workVersion > 1) writes.push(addJob({ companyId, projectId: id, atMs: deletedAtMs }, call));
  writes.push(...tombstoneWrites(call, record, deletedAtMs));
  writes.push(...eventWrites(deps, call, id, work, [{ type: 'project.deleted' }]));
  return { record, writes, counts: { targetLanguages, segments, tasks } };
}

/** What is left of a project without a task: its data and payload for the store. */
interface Remainder {
  readonly project: Project;
  readonly runs: TaskRuns;
  readonly tasks: StoredTasks;
  readonly content: { readonly data: ProjectRecord; readonly bytes: Uint8Array };
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
): Promise<Removal | undefined> {
  const { companyId } = call;
  const stored = await findProject(deps, ref, companyId);
  const { id, record, version, drops } = stored;
  const name = `${id}/${version}`;
  const remainder = remainders.get(name);
  if (!remainder) {
    const made = await remainderOf(deps, companyId, stored, taskId);
    if (made) remainders.set(name, made);
    return undefined;
  }
  // The first attempt after the preparation holds the worker off.
  if (await holdOff(deps.storage, companyId, stored, deps.now())) return undefined;
  const { project, runs, tasks, content } = remainder;
  const work = await workWithout(deps, companyId, stored, runs);
  const change = await changeWork(deps, call, stored, work, [{ type: 'task.deleted', data: { taskId } }]);
  const writes: Write[] = [
    { kind: 'replace', key: projectKey(companyId, id), version, drops, ...content },
    ...tasksWrites(companyId, id, record, tasks),
    ...change.writes,
    ...(needsWorker(change.work) ? [addJob({ companyId, projectId: id, atMs: deps.now() }, call)] : []),
  ];
  const counts = { targetLanguages: 0, segments: record.segments - project.segments.length, tasks: 1 };
  return { record, writes, counts };
}

/**
 * Makes the remainder of a project without a task; `undefined` if the project has changed since it was read.
 * @throws {Problem} `task-not-found`
 */
async function remainderOf(
  { storage }: HostedDeps,
  companyId: string,
  { id, version, record }: StoredProject,
  taskId: string,
): Promise<Remainder | undefined> {
  const whole = await storage.readWithPayload(projectKey(companyId, id));
  if (whole?.item.version !== version) return undefined;
  const project = withoutTask(projectIn(documentIn(whole)), taskId);
  if (!project) throw failures.taskNotFound();
  const { slots } = record.payload;
  const runs = taskRunsOf(project, slots);
  const tasks = await encodeTasks(runs, version + 1);
  const { data, bytes } = await itemContent(project, slots, tasks.fields, NO_VERSION);
  const kept = withoutTasks(withoutHead(record));
  return { project, runs, tasks, content: { data: { ...kept, ...data }, bytes } };
}

/** The version of no work record: the document of the project is made with the present work whenever it is read. */
const NO_VERSION = 0;

/** Makes the work record of a project that has lost segments. @param runs the tasks of the other segments */
async function workWithout(
  { storage }: HostedDeps,
  companyId: string,
  { id, record, version, work, workVersion }: StoredProject,
  runs: TaskRuns,
): Promise<WorkRecord> {
  const view = await openView(storage, { companyId, id, slots: record.payload.slots }, work);
  const segments = [...slotsOf(runs, (task) => task !== REMOVED)].length;
  const after = { ...work, projectVersion: version + 1, segments };
  const languages = await Promise.all(
    work.languages.map(async (language, index) =>
      withFinal(after, language, await countFinal(view, runs, language, index)),
    ),
  );
  return { ...after, languages, hasRemoved: work.hasRemoved || workVersion > 1 };
}
