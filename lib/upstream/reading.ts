import type { Project } from '../contract/answer.ts';
import { failures } from '../service/failures.ts';
import type { Call, ProjectRef } from '../service/port.ts';
import { onlyTask } from '../service/tasks.ts';
import { readProject } from './answer.ts';
import type { Client } from './client.ts';
import { upstreamFailures } from './failures.ts';
import { READ } from './operations.ts';
import { projectPath } from './paths.ts';
import { unreadable } from './refusal.ts';

/**
 * Reads a project of the service; with a task, the project with that task's segments only.
 * @throws {Problem} `project-not-found`, `task-not-found`, `upstream-invalid` where it is another project
 */
export async function getProject(
  client: Client,
  ref: ProjectRef,
  taskId: string | undefined,
  call: Call,
): Promise<Project> {
  const answer = await client({ operation: READ, path: projectPath(ref, taskId), taskId }, call);
  const project = readProject(answer);
  if (!project) throw unreadable(answer, READ);
  // What is read here may be deleted next: it must be the project that was named.
  if ('id' in ref ? project.id !== ref.id : project.customId !== ref.customId) {
    throw upstreamFailures.invalid('The service gave another project than it was asked for.');
  }
  if (taskId === undefined) return project;
  // A service that does not know the parameter gives all segments.
  const part = onlyTask(project, taskId);
  if (!part) throw failures.taskNotFound();
  return part;
}
