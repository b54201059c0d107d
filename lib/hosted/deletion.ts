import { utc } from '../contract/date.ts';
import type { Receipt } from '../contract/receipt.ts';
import type { Settle } from '../exactly-once/exactly-once.ts';
import { documentOf } from '../service/document.ts';
import { failures } from '../service/failures.ts';
import type { Call, DeletionScope, ProjectRef } from '../service/port.ts';
import { withoutTask } from '../service/tasks.ts';
import type { Batch, Write } from '../storage/port.ts';
import { recordOf } from './creation.ts';
import { commitWith, type Foundation, retryRefused } from './foundation.ts';
import { type Found, findProject, readDocument, readProject } from './reading.ts';
import { customIdKey, projectKey, TOMBSTONE_MS, type Tombstone, tombstoneKeys } from './records.ts';

interface Change {
  readonly batch: Batch;
  readonly removed: Receipt['removed'];
}

/**
 * Deletes a project or a task: one commit, after which nothing of it can be read, and in which the caller's key is
 * still active.
 * @throws {Problem} `project-not-found`, `task-not-found`, `unauthenticated`
 */
export async function deleteFrom(
  foundation: Foundation,
  ref: ProjectRef,
  scope: DeletionScope,
  call: Call,
  settle: Settle | undefined,
): Promise<Receipt> {
  return retryRefused(call, async () => {
    const guard = await foundation.guard(call);
    const found = await findProject(foundation, ref, call.companyId);
    const deletedAtMs = foundation.now();
    const change =
      scope.kind === 'project'
        ? ofProject(call, found, deletedAtMs)
        : await ofTask(foundation, call.companyId, found, scope.taskId);
    if (!change) return undefined;
    const { head } = found.record;
    const receipt: Receipt = {
      scope: scope.kind,
      projectId: head.id,
      customId: head.customId ?? null,
      taskId: scope.kind === 'task' ? scope.taskId : null,
      outcome: 'deleted',
      deletedAtUtc: utc(deletedAtMs),
      removed: change.removed,
    };
    const writes = guard ? [...change.batch.writes, guard] : change.batch.writes;
    const batch = { ...change.batch, writes };
    const refused = await commitWith(foundation.storage, batch, settle, { kind: 'deleted', receipt });
    return refused === undefined ? receipt : undefined;
  });
}

function ofProject({ companyId, requestId, keyId }: Call, { record, version }: Found, deletedAtMs: number): Change {
  const { head, segments, tasks, payload } = record;
  const writes: Write[] = [{ kind: 'remove', key: projectKey(companyId, head.id), version }];
  if (head.customId !== undefined) {
    // Written once with the project and never changed.
    writes.push({ kind: 'remove', key: customIdKey(companyId, head.customId), version: 1 });
  }
  const data: Tombstone = { projectId: head.id, deletedAtUtc: utc(deletedAtMs), requestId, keyId: keyId ?? null };
  const expiresAtMs = deletedAtMs + TOMBSTONE_MS;
  for (const key of tombstoneKeys(companyId, head.id, head.customId)) {
    writes.push({ kind: 'put', key, data, expiresAtMs });
  }
  const removed = { targetLanguages: head.targetLanguages.length, segments, tasks };
  return { batch: { writes, drop: [payload.id] }, removed };
}

/** @returns `undefined` where the project was changed since its record was read */
async function ofTask(
  foundation: Foundation,
  companyId: string,
  { record, version }: Found,
  taskId: string,
): Promise<Change | undefined> {
  const document = await readDocument(foundation, record);
  if (!document) return undefined;
  const rest = withoutTask(readProject(document), taskId);
  if (!rest) throw failures.taskNotFound();
  const { data, put } = recordOf(companyId, rest, await documentOf(rest), foundation.newId());
  const key = projectKey(companyId, rest.id);
  const batch: Batch = { writes: [{ kind: 'replace', key, version, data }], put, drop: [record.payload.id] };
  return { batch, removed: { targetLanguages: 0, segments: record.segments - rest.segments.length, tasks: 1 } };
}
