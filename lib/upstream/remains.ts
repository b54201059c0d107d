import { Problem } from '../contract/problem.ts';
import type { Call } from '../service/port.ts';
import type { Client } from './client.ts';
import type { DeleteIntent } from './intent.ts';
import type { UpstreamProject } from './project.ts';
import { findProject } from './reading.ts';
import { findTask } from './tasks.ts';

/** What is left of something that was to be deleted, as the service shows it. */
export type Remains =
  /** Nothing; of a task's project what is there without the task. */
  | { readonly kind: 'gone'; readonly project?: UpstreamProject }
  /** A task was to be deleted, and there is no project. */
  | { readonly kind: 'no-project' }
  | { readonly kind: 'there' }
  /** Under its id there is a project with another name: nothing may be done to that one. */
  | { readonly kind: 'another' }
  /** It is there, put away. */
  | { readonly kind: 'archived' }
  /** Unknown: the service does not show the project's tasks. */
  | { readonly kind: 'hidden' }
  /** Unknown: the service does not answer now. */
  | { readonly kind: 'silence' };

/**
 * Looks what is left. The project is read as a whole, for a task too: only so a service that deletes more than the task
 * is found out.
 */
export async function remainsOf(
  client: Client,
  { serviceId, name, taskId, hasOtherSegments, removed }: DeleteIntent,
  call: Call,
): Promise<Remains> {
  try {
    const project = await findProject(client, { id: serviceId }, call);
    if (project && project.customId !== name) return { kind: 'another' };
    if (taskId === null) {
      if (!project) return { kind: 'gone' };
      return { kind: isArchived(project) ? 'archived' : 'there' };
    }
    if (!project) return { kind: 'no-project' };
    // A service that showed the list before may leave out an empty one, but not one with the segments of other tasks.
    const mayBeEmpty = removed.segments !== null && !hasOtherSegments;
    const isEmpty = mayBeEmpty && (project.segments ?? null) === null;
    const { kind } = findTask(isEmpty ? { ...project, segments: [] } : project, taskId);
    switch (kind) {
      case 'there':
      case 'hidden':
        return { kind };
      case 'absent':
        return { kind: 'gone', project };
    }
  } catch (error) {
    if (error instanceof Problem) return { kind: 'silence' };
    throw error;
  }
}

/** The contract has no word for it; these are the ones that services use. */
function isArchived({ archived, isArchived, status, state }: Readonly<Record<string, unknown>>): boolean {
  const isWord = (word: unknown) => typeof word === 'string' && /^archived$/i.test(word);
  return archived === true || isArchived === true || isWord(status) || isWord(state);
}
