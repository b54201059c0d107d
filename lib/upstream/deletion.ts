import type { Project } from '../contract/answer.ts';
import { utc } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';
import type { Call, DeletionScope, ProjectRef, Receipt } from '../service/port.ts';
import { countTasks } from '../service/tasks.ts';
import type { Client } from './client.ts';
import { upstreamFailures } from './failures.ts';
import { DELETE } from './operations.ts';
import { projectPath } from './paths.ts';
import { getProject } from './reading.ts';

/**
 * Deletes a project or a task of the service, and proves it: reads it, deletes it once, and reads that it is gone.
 * @param now milliseconds since 1970
 * @throws {Problem} `outcome-unknown` also where the service accepted and then cannot be read
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
  const { status } = await client({ operation: DELETE, path: projectPath(target, taskId), taskId }, call);
  if (!(await isGone(client, target, taskId, call))) throw status === 202 ? pending() : ignored();
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

async function isGone(client: Client, ref: ProjectRef, taskId: string | undefined, call: Call): Promise<boolean> {
  try {
    await getProject(client, ref, taskId, call);
    return false;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.name === (taskId === undefined ? 'project-not-found' : 'task-not-found')) return true;
    // Somebody else deleted the project meanwhile, or the service deleted more than it was asked to.
    if (error.name === 'project-not-found') {
      throw upstreamFailures.outcomeUnknown('A task was to be deleted, and now the whole project cannot be found.');
    }
    throw upstreamFailures.outcomeUnknown(
      'The service accepted the deletion, and cannot be asked now whether it is done.',
    );
  }
}

function removedWith(found: Project, { kind }: DeletionScope): Receipt['removed'] {
  const segments = found.segments.length;
  return kind === 'task'
    ? { targetLanguages: 0, segments, tasks: 1 }
    : { targetLanguages: found.targetLanguages.length, segments, tasks: countTasks(found) };
}

function pending(): Problem {
  return upstreamFailures.outcomeUnknown('The service accepted the deletion and has not carried it out yet.');
}

function ignored(): Problem {
  return upstreamFailures.refused('The service accepted the deletion, and what it was to delete can still be read.');
}
