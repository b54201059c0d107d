import type { Project } from '../contract/answer.ts';
import { utc } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { failures } from '../service/failures.ts';
import type { Call, DeletionScope, ProjectRef } from '../service/port.ts';
import { countTasks, onlyTask } from '../service/tasks.ts';
import type { Client } from './client.ts';
import { upstreamFailures } from './failures.ts';
import { DELETE } from './operations.ts';
import { projectPath } from './paths.ts';
import { findProject, getProject } from './reading.ts';

/**
 * Deletes a project or a task of the service, and proves it: reads the project, deletes once, and reads the project
 * again. It is read as a whole, for a task too: only so a service that deletes more than the task is found out.
 * @param now milliseconds since 1970
 * @throws {Problem} `outcome-unknown` also where the service answered and then cannot be read
 */
export async function deleteFrom(
  client: Client,
  ref: ProjectRef,
  scope: DeletionScope,
  call: Call,
  now: () => number,
): Promise<Receipt> {
  const taskId = scope.kind === 'task' ? scope.taskId : undefined;
  const found = await getProject(client, ref, taskId, call);
  // By its id, whatever the caller named it by: a custom id may belong to another project by now.
  const target = { id: found.id };
  const status = await askToDelete(client, target, taskId, call);
  const after = await readAgain(client, target, call);
  if (after && (taskId === undefined || onlyTask(after, taskId))) throw stillThere(status);
  if (status === NOTHING_THERE) throw after ? failures.taskNotFound() : failures.projectNotFound();
  // Somebody else deleted the project meanwhile, or the service deleted more than it was asked to.
  if (taskId !== undefined && !after) {
    throw upstreamFailures.outcomeUnknown('A task was to be deleted, and now the whole project cannot be found.');
  }
  return {
    scope: scope.kind,
    projectId: found.id,
    customId: found.customId ?? null,
    taskId: taskId ?? null,
    outcome: 'deleted',
    deletedAtUtc: utc(now()),
    removed: removedWith(found, scope),
  };
}

const NOTHING_THERE = 404;

/** The status of the answer: a success, or 404 where the service says that there is nothing to delete. */
async function askToDelete(
  client: Client,
  target: ProjectRef,
  taskId: string | undefined,
  call: Call,
): Promise<number> {
  try {
    return (await client({ operation: DELETE, path: projectPath(target, taskId) }, call)).status;
  } catch (error) {
    // Not yet believed: somebody else was faster, or the service says so of what it does not let this account delete.
    if (error instanceof Problem && ABSENT.has(error.name)) return NOTHING_THERE;
    throw error;
  }
}

const ABSENT: ReadonlySet<string> = new Set(['project-not-found', 'task-not-found']);

async function readAgain(client: Client, target: ProjectRef, call: Call): Promise<Project | undefined> {
  try {
    return await findProject(client, target, call);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw upstreamFailures.outcomeUnknown(
      'The service answered the deletion, and cannot be asked now whether it is done.',
    );
  }
}

function stillThere(status: number): Problem {
  switch (status) {
    case 202:
      return upstreamFailures.outcomeUnknown('The service accepted the deletion and has not carried it out yet.');
    case NOTHING_THERE:
      return upstreamFailures.refused('The service has nothing to delete, and what it was to delete can be read.');
    default:
      return upstreamFailures.refused(
        'The service accepted the deletion, and what it was to delete can still be read.',
      );
  }
}

function removedWith(found: Project, { kind }: DeletionScope): Receipt['removed'] {
  const segments = found.segments.length;
  return kind === 'task'
    ? { targetLanguages: 0, segments, tasks: 1 }
    : { targetLanguages: found.targetLanguages.length, segments, tasks: countTasks(found) };
}
