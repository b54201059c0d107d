import { checkDates } from '../contract/check.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Project } from '../contract/project-answer.ts';
import { commitWithResult, eventWrites, retryRefused } from '../idempotency/commit.ts';
import { customIdKey, packHead, projectKey, projectSort } from '../idempotency/project-item.ts';
import type { ResultWrite } from '../idempotency/run-idempotent.ts';
import { type CallContext, failures } from '../service/port.ts';
import { documentOf, type ProjectDocument } from '../service/project-document.ts';
import { idsNeeded, projectFrom } from '../service/project-from.ts';
import type { Write } from '../storage/port.ts';
import type { HostedDeps } from './deps.ts';
import type { ProjectRecord } from './read-projects.ts';
import { countTasks } from './tasks.ts';

/**
 * Creates a project. A single commit stores the project, its custom id, its event and the result of the request.
 * @param settle makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} `invalid-project` if `checkDates` finds a fault; `custom-id-in-use`
 */
export async function createProject(
  deps: HostedDeps,
  project: CheckedProject,
  call: CallContext,
  settle: ResultWrite | undefined,
): Promise<ProjectDocument> {
  const { storage, now, takeIds, startDateToleranceMs } = deps;
  const { companyId, deadline } = call;
  checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
  return retryRefused(call, async () => {
    const created = projectFrom(project, takeIds(idsNeeded(project)), now());
    const { id, customId } = created;
    const document = await documentOf(created);
    const content = await itemContent(created, document);
    const writes: Write[] = [{ kind: 'insert', key: projectKey(companyId, id), ...content }];
    if (customId !== undefined) {
      writes.push({ kind: 'insert', key: customIdKey(companyId, customId), data: { projectId: id } });
    }
    writes.push(...eventWrites(deps, call, { type: 'project.created', projectId: id }));
    const refused = await commitWithResult(storage, { writes, deadline }, settle, { kind: 'created', projectId: id });
    if (refused === undefined) return document;
    // The store refused the project's id, because another process uses it. The next attempt takes new ids.
    if (refused.key.sort !== projectSort(id)) throw failures.customIdInUse();
    return undefined;
  });
}

/** Makes the data and the payload of the item that stores a project. */
export async function itemContent(
  project: Project,
  { json }: ProjectDocument,
): Promise<{ readonly data: ProjectRecord; readonly bytes: Uint8Array }> {
  const data: ProjectRecord = {
    id: project.id,
    customId: project.customId ?? null,
    targetLanguages: project.targetLanguages.length,
    segments: project.segments.length,
    tasks: countTasks(project),
    ...(await packHead(project)),
    payload: { encoding: json.encoding, length: json.length },
  };
  return { data, bytes: json.bytes };
}
