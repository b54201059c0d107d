import { Problem } from '../contract/problem.ts';
import { failures } from '../service/failures.ts';
import type { Call, ProjectRef } from '../service/port.ts';
import { readProject } from './answer.ts';
import type { Client } from './client.ts';
import { upstreamFailures } from './failures.ts';
import { READ } from './operations.ts';
import { projectPath } from './paths.ts';
import type { UpstreamProject } from './project.ts';
import { unreadable } from './refusal.ts';
import { findTask } from './tasks.ts';

/** A project of the ledger: an id alone may be another project's by now. */
export interface AtService {
  readonly id: number;
  /** The custom id at the service. */
  readonly name: string;
  /** Whether Segue made the name, so that no other project can have it. */
  readonly isMarked: boolean;
}

/**
 * Reads a project of the service; with a task, the project with that task's segments only. The whole project is asked
 * for always: a 404 to a request for a task would leave open which of the two is not there.
 * @throws {Problem} `project-not-found`, `task-not-found`; `upstream-invalid` if it is another project, or if it does not
 *   show its tasks
 */
export async function getProject(
  client: Client,
  at: AtService,
  taskId: string | undefined,
  call: Call,
): Promise<UpstreamProject> {
  const project = await locate(client, at, call);
  return taskId === undefined ? project : requireTask(project, taskId);
}

/**
 * A project with the segments of a task only.
 * @throws {Problem} `task-not-found`; `upstream-invalid` if the service does not show the project's tasks
 */
export function requireTask(project: UpstreamProject, taskId: string): UpstreamProject {
  const task = findTask(project, taskId);
  switch (task.kind) {
    case 'there':
      return task.project;
    case 'absent':
      throw failures.taskNotFound();
    case 'hidden':
      throw upstreamFailures.tasksHidden();
  }
}

/**
 * Reads a project by its id. If that is not its project, the answer to its creation may have had a wrong id: then the
 * project is found by its name.
 */
async function locate(client: Client, { id, name, isMarked }: AtService, call: Call): Promise<UpstreamProject> {
  try {
    return await readNamed(client, { id, name }, call);
  } catch (error) {
    const isElsewhere =
      error instanceof Problem && (error.name === 'project-not-found' || error.name === 'upstream-invalid');
    const found = isMarked && isElsewhere ? await findProject(client, { customId: name }, call) : undefined;
    if (!found || found.id === id) throw error;
    // A wrong id in this answer would lead to another project, which may be deleted next.
    return readNamed(client, { id: found.id, name }, call);
  }
}

async function readNamed(
  client: Client,
  { id, name }: Pick<AtService, 'id' | 'name'>,
  call: Call,
): Promise<UpstreamProject> {
  const project = await read(client, { id }, call, false);
  if (project.customId !== name) throw another();
  return project;
}

async function read(client: Client, ref: ProjectRef, call: Call, isProof: boolean): Promise<UpstreamProject> {
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
export async function findProject(client: Client, ref: ProjectRef, call: Call): Promise<UpstreamProject | undefined> {
  try {
    return await read(client, ref, call, true);
  } catch (error) {
    if (error instanceof Problem && error.name === 'project-not-found') return undefined;
    throw error;
  }
}
