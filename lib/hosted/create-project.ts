import type { Project } from '../contract/answer.ts';
import { checkDates } from '../contract/check.ts';
import type { CheckedProject } from '../contract/project.ts';
import { commitWithResult, eventWrites, retryRefused } from '../idempotency/commit.ts';
import { customIdKey, packHead, projectKey, projectSort } from '../idempotency/project-item.ts';
import type { ResultWrite } from '../idempotency/run-idempotent.ts';
import { failures } from '../service/failures.ts';
import type { Call } from '../service/port.ts';
import { documentOf, type ProjectDocument } from '../service/project-document.ts';
import { idsNeeded, projectFrom } from '../service/project-from.ts';
import type { Write } from '../storage/port.ts';
import type { Foundation } from './options.ts';
import type { ProjectRecord } from './project-record.ts';
import { countTasks } from './tasks.ts';

/**
 * Makes a project: one commit, in which it appears with its custom id and, with a key, its result.
 * @throws {Problem} `invalid-project` where the start date is not now, `custom-id-in-use`
 */
export async function makeProject(
  foundation: Foundation,
  project: CheckedProject,
  call: Call,
  settle: ResultWrite | undefined,
): Promise<ProjectDocument> {
  const { storage, now, ids, startDateToleranceMs } = foundation;
  checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
  return retryRefused(call, async () => {
    const answer = projectFrom(project, ids.take(idsNeeded(project)), now());
    const document = await documentOf(answer);
    const content = await contentOf(answer, document);
    const event = eventWrites(foundation, call, { type: 'project.created', projectId: answer.id });
    const { deadline } = call;
    const batch = { writes: [...creation(call.companyId, answer, content), ...event], deadline };
    const refused = await commitWithResult(storage, batch, settle, { kind: 'created', projectId: answer.id });
    if (refused === undefined) return document;
    // The id may be another process's: then it is taken anew.
    if (refused.key.sort !== projectSort(answer.id)) throw failures.customIdInUse();
    return undefined;
  });
}

function creation(companyId: string, project: Project, content: ProjectContent): Write[] {
  const writes: Write[] = [{ kind: 'insert', key: projectKey(companyId, project.id), ...content }];
  if (project.customId !== undefined) {
    const key = customIdKey(companyId, project.customId);
    writes.push({ kind: 'insert', key, data: { projectId: project.id } });
  }
  return writes;
}

/** A project as the store holds it: its record, and its payload. */
interface ProjectContent {
  readonly data: ProjectRecord;
  readonly bytes: Uint8Array;
}

export async function contentOf(project: Project, { json }: ProjectDocument): Promise<ProjectContent> {
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
