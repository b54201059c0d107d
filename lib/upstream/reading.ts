import type { Project } from '../contract/answer.ts';
import { Problem } from '../contract/problem.ts';
import { failures } from '../service/failures.ts';
import type { Call, ProjectRef } from '../service/port.ts';
import { onlyTask } from '../service/tasks.ts';
import { readProject } from './answer.ts';
import type { Client } from './client.ts';
import { upstreamFailures } from './failures.ts';
import { READ } from './operations.ts';
import { projectPath } from './paths.ts';
import { unreadable } from './refusal.ts';

/** A project of the ledger: an id alone may be another project's by now. */
export interface AtService {
  readonly id: number;
  /** The custom id at the service. */
  readonly name: string;
}

/**
 * Reads a project of the service; with a task, the project with that task's segments only. The whole project is asked
 * for always: a 404 to a request for a task would leave open which of the two is not there.
 * @throws {Problem} `project-not-found`, `task-not-found`, `upstream-invalid` where it is another project
 */
export async function getProject(
  client: Client,
  { id, name }: AtService,
  taskId: string | undefined,
  call: Call,
): Promise<Project> {
  const project = await read(client, { id }, call, false);
  if (project.customId !== name) throw another();
  if (taskId === undefined) return project;
  const part = onlyTask(project, taskId);
  if (!part) throw failures.taskNotFound();
  return part;
}

async function read(client: Client, ref: ProjectRef, call: Call, isProof: boolean): Promise<Project> {
  const answer = await client({ operation: READ, path: projectPath(ref), isProof }, call);
  const project = readProject(answer);
  if (!project) throw unreadable(answer, READ);
  // What is read here may be deleted next: it must be the project that was named.
  if ('id' in ref ? project.id !== ref.id : project.customId !== ref.customId) {
    throw another();
  }
  return project;
}

function another(): Problem {
  return upstreamFailures.invalid('The service gave another project than it was asked for.');
}

/**
 * Finds out whether a project of the service is there: reads it as a whole, `undefined` where it is not there.
 * @throws {Problem} as `getProject`, but for `project-not-found`
 */
export async function findProject(client: Client, ref: ProjectRef, call: Call): Promise<Project | undefined> {
  try {
    return await read(client, ref, call, true);
  } catch (error) {
    if (error instanceof Problem && error.name === 'project-not-found') return undefined;
    throw error;
  }
}
