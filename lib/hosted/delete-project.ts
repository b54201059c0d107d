import { utc } from '../contract/date.ts';
import type { Project } from '../contract/project-answer.ts';
import type { Receipt } from '../contract/receipt.ts';
import { commitWithResult, eventWrites, retryRefused } from '../idempotency/commit.ts';
import { customIdKey, projectKey } from '../idempotency/project-item.ts';
import type { ResultWrite } from '../idempotency/run-idempotent.ts';
import { tombstoneWrites } from '../idempotency/tombstones.ts';
import { type CallContext, type DeletionScope, failures, type ProjectRef } from '../service/port.ts';
import { projectIn } from '../service/project-document.ts';
import type { Write } from '../storage/port.ts';
import { itemContent } from './create-project.ts';
import type { HostedDeps } from './deps.ts';
import { firstSegmentId } from './project-payload.ts';
import { findDocument, findProject, type ProjectRecord, type StoredProject } from './read-projects.ts';
import { withoutTask } from './tasks.ts';
import { addJob } from './work/jobs.ts';
import { openView } from './work/translation-view.ts';
import { isFinal, type WorkRecord, withFinal, withWork, workKey } from './work/work-record.ts';

/** The writes of a deletion. */
interface Removal {
  /** The record of the project before the deletion. */
  readonly record: ProjectRecord;
  readonly writes: readonly Write[];
  /** The numbers of target languages, segments and tasks that the writes remove. */
  readonly removed: Receipt['removed'];
}

/**
 * Deletes a project or a task in one commit. After the commit, nobody can read the project or task. The commit fails
 * unless the caller's API key and company are still active.
 * @param settle makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} `project-not-found`, `task-not-found`, `unauthenticated`, `company-suspended`
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
  let presumed = guard.presume(call);
  return retryRefused(call, async () => {
    const held = presumed ?? (await guard.require(call));
    // The presumed check may be the reason if the store refuses this attempt. So the next attempt reads the key's
    // state.
    presumed = undefined;
    const deletedAtMs = now();
    const removal =
      taskId === undefined ? removeProject(deps, ref, call, deletedAtMs) : removeTask(deps, ref, taskId, call);
    const { record, writes, removed } = await removal.catch(async (error: unknown) => {
      // A caller with a revoked key must not learn that a project is absent.
      await guard.require(call);
      throw error;
    });
    const receipt: Receipt = {
      scope: scope.kind,
      projectId: record.id,
      customId: record.customId,
      taskId: taskId ?? null,
      outcome: 'deleted',
      deletedAtUtc: utc(deletedAtMs),
      removed,
      requestedBy: call.requestedBy,
      ...(recoverableMs !== undefined && { unrecoverableAfterUtc: utc(deletedAtMs + recoverableMs) }),
    };
    const type = taskId === undefined ? 'project.deleted' : 'task.deleted';
    const event = eventWrites(deps, call, { type, projectId: record.id, ...(taskId !== undefined && { taskId }) });
    const batch = { writes: [...writes, ...event, ...(held ? [held] : [])], deadline: call.deadline };
    const refused = await commitWithResult(storage, batch, settle, { kind: 'deleted', receipt });
    return refused === undefined ? receipt : undefined;
  });
}

async function removeProject(
  deps: HostedDeps,
  ref: ProjectRef,
  call: CallContext,
  deletedAtMs: number,
): Promise<Removal> {
  const { companyId } = call;
  const { record, version, drops, workVersion } = await findProject(deps, ref, companyId);
  const { id, customId, targetLanguages, segments, tasks } = record;
  const writes: Write[] = [
    { kind: 'remove', key: projectKey(companyId, id), version, drops },
    { kind: 'remove', key: workKey(companyId, id), version: workVersion },
  ];
  // The item of a custom id never changes, so its version is 1.
  if (customId !== null) writes.push({ kind: 'remove', key: customIdKey(companyId, customId), version: 1 });
  // The job removes the translations, which nobody can read any more. They exist only if the work has changed.
  if (workVersion > 1) writes.push(addJob({ companyId, projectId: id, atMs: deletedAtMs }));
  writes.push(...tombstoneWrites(call, record, deletedAtMs));
  return { record, writes, removed: { targetLanguages, segments, tasks } };
}

async function removeTask(
  deps: HostedDeps,
  ref: ProjectRef,
  taskId: string,
  { companyId }: CallContext,
): Promise<Removal> {
  const stored = await findDocument(deps, ref, companyId);
  const { record, version, drops, workVersion, document } = stored;
  const rest = withoutTask(projectIn(document), taskId);
  if (!rest) throw failures.taskNotFound();
  const { id } = rest;
  const work = await workWithout(deps, companyId, stored, rest);
  const { document: _, ...content } = await itemContent(withWork(rest, work), record.payload.slots, workVersion + 1);
  const removed = { targetLanguages: 0, segments: record.segments - rest.segments.length, tasks: 1 };
  const writes: Write[] = [
    { kind: 'replace', key: projectKey(companyId, id), version, drops, ...content },
    { kind: 'replace', key: workKey(companyId, id), version: workVersion, data: work },
  ];
  if (work.hasRemoved) writes.push(addJob({ companyId, projectId: id, atMs: deps.now() }));
  return { record, writes, removed };
}

/** Makes the work record of a project that has lost segments. */
async function workWithout(
  { storage }: HostedDeps,
  companyId: string,
  { record, work, workVersion }: StoredProject,
  { id, segments }: Project,
): Promise<WorkRecord> {
  const { slots } = record.payload;
  const view = await openView(storage, { companyId, id, slots }, work);
  const first = firstSegmentId(record);
  const languages = await Promise.all(
    work.languages.map(async (language, index) => {
      if (language.final === 0) return language;
      const statuses = (await view.language(index)).map((chunk) => chunk.statuses).join('');
      const final = segments.filter((segment) => isFinal(language, statuses[segment.id - first] ?? '')).length;
      return withFinal(language, final, segments.length);
    }),
  );
  return { ...work, segments: segments.length, languages, hasRemoved: work.hasRemoved || workVersion > 1 };
}
