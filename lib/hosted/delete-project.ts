import { utc } from '../contract/date.ts';
import type { Receipt } from '../contract/receipt.ts';
import { commitWithResult, eventWrites, retryRefused } from '../idempotency/commit.ts';
import { customIdKey, projectKey } from '../idempotency/project-item.ts';
import type { ResultWrite } from '../idempotency/run-idempotent.ts';
import { tombstoneWrites } from '../idempotency/tombstones.ts';
import { failures } from '../service/failures.ts';
import type { Call, DeletionScope, ProjectRef } from '../service/port.ts';
import { documentOf, projectIn } from '../service/project-document.ts';
import type { Write } from '../storage/port.ts';
import { contentOf } from './create-project.ts';
import type { Foundation } from './options.ts';
import type { ProjectRecord } from './project-record.ts';
import { type Found, findDocument, findProject } from './read-projects.ts';
import { withoutTask } from './tasks.ts';

interface Change {
  readonly record: ProjectRecord;
  readonly writes: readonly Write[];
  readonly removed: Receipt['removed'];
}

/**
 * Deletes a project or a task in one commit, after which it cannot be read. The caller's key and company are active in
 * that commit.
 * @throws {Problem} `project-not-found`, `task-not-found`, `unauthenticated`
 */
export async function deleteFrom(
  foundation: Foundation,
  ref: ProjectRef,
  scope: DeletionScope,
  call: Call,
  settle: ResultWrite | undefined,
): Promise<Receipt> {
  const { guard, recoverableMs } = foundation;
  let presumed = guard.presume(call);
  return retryRefused(call, async () => {
    const held = presumed ?? (await guard.require(call));
    // What was refused may be what was presumed.
    presumed = undefined;
    const deletedAtMs = foundation.now();
    const change = changeOf(foundation, ref, scope, call, deletedAtMs);
    const { record, writes, removed } = await change.catch(async (error: unknown) => {
      // Nobody is told what is not there by a key that is no more.
      await guard.require(call);
      throw error;
    });
    const receipt: Receipt = {
      scope: scope.kind,
      projectId: record.id,
      customId: record.customId,
      taskId: scope.kind === 'task' ? scope.taskId : null,
      outcome: 'deleted',
      deletedAtUtc: utc(deletedAtMs),
      removed,
      requestedBy: call.requestedBy,
      ...(recoverableMs !== undefined && { unrecoverableAfterUtc: utc(deletedAtMs + recoverableMs) }),
    };
    const event = eventWrites(foundation, call, { projectId: record.id, ...whatHappened(scope) });
    const batch = { writes: [...writes, ...event, ...(held ? [held] : [])], deadline: call.deadline };
    const refused = await commitWithResult(foundation.storage, batch, settle, { kind: 'deleted', receipt });
    return refused === undefined ? receipt : undefined;
  });
}

async function changeOf(
  foundation: Foundation,
  ref: ProjectRef,
  scope: DeletionScope,
  call: Call,
  deletedAtMs: number,
): Promise<Change> {
  const { companyId } = call;
  if (scope.kind === 'task') return ofTask(foundation, ref, companyId, scope.taskId);
  return ofProject(call, await findProject(foundation, ref, companyId), deletedAtMs);
}

function whatHappened(scope: DeletionScope) {
  if (scope.kind === 'project') return { type: 'project.deleted' } as const;
  return { type: 'task.deleted', taskId: scope.taskId } as const;
}

function ofProject(call: Call, { record, version, drops }: Found, deletedAtMs: number): Change {
  const { companyId } = call;
  const { id, customId, targetLanguages, segments, tasks } = record;
  const writes: Write[] = [{ kind: 'remove', key: projectKey(companyId, id), version, drops }];
  if (customId !== null) {
    // Written once with the project and never changed.
    writes.push({ kind: 'remove', key: customIdKey(companyId, customId), version: 1 });
  }
  writes.push(...tombstoneWrites(call, record, deletedAtMs));
  return { record, writes, removed: { targetLanguages, segments, tasks } };
}

async function ofTask(foundation: Foundation, ref: ProjectRef, companyId: string, taskId: string): Promise<Change> {
  const { record, version, drops, document } = await findDocument(foundation, ref, companyId);
  const rest = withoutTask(projectIn(document), taskId);
  if (!rest) throw failures.taskNotFound();
  const key = projectKey(companyId, rest.id);
  const content = await contentOf(rest, await documentOf(rest));
  const removed = { targetLanguages: 0, segments: record.segments - rest.segments.length, tasks: 1 };
  return { record, writes: [{ kind: 'replace', key, version, drops, ...content }], removed };
}
