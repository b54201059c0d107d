import * as z from 'zod/mini';
import { customId, id, rule, taskId } from '../../contract/fields.ts';
import { Problem } from '../../contract/problem.ts';
import type { Receipt } from '../../contract/receipt.ts';
import type { Call, DeletionScope, ProjectRef, ProjectService } from '../port.ts';

/** What a command deletes. */
export interface Deletion {
  readonly scope: Receipt['scope'];
  readonly projectId?: number | undefined;
  readonly customId?: string | undefined;
  readonly taskId?: string | undefined;
}

/** The scope is always said: a task id that got lost on the way must not turn into the whole project. */
export const DELETION = {
  scope: z.enum(['project', 'task']),
  projectId: z.optional(id()),
  customId: z.optional(customId()),
  taskId: z.optional(taskId()),
} as const;

/** What its fields have to do with each other. */
export const DELETION_RULES = [
  rule<Deletion>(
    'required',
    'Name the project by projectId or by customId, and not by both.',
    ({ projectId, customId }) => (projectId === undefined) !== (customId === undefined),
    ['projectId'],
  ),
  rule<Deletion>(
    'required',
    'The scope task needs a taskId, and the scope project takes none.',
    ({ scope, taskId }) => (scope === 'task') === (taskId !== undefined),
    ['taskId'],
  ),
] as const;

/** What is gone already, by an earlier attempt or by anybody, is what was asked for. */
export interface AlreadyAbsent {
  readonly scope: Receipt['scope'];
  readonly outcome: 'already-absent';
}

/**
 * Deletes what a command names.
 * @throws {Problem} as `delete` of the service does, but where nothing is there
 */
export async function deleteProject(
  service: ProjectService,
  deletion: Deletion,
  call: Call,
): Promise<Receipt | AlreadyAbsent> {
  try {
    return await service.delete(refOf(deletion), scopeOf(deletion), call);
  } catch (error) {
    if (isAbsence(error)) return { scope: deletion.scope, outcome: 'already-absent' };
    throw error;
  }
}

function refOf({ projectId, customId }: Deletion): ProjectRef {
  if (projectId !== undefined) return { id: projectId };
  if (customId !== undefined) return { customId };
  throw new TypeError('A checked command names its project');
}

function scopeOf({ taskId }: Deletion): DeletionScope {
  return taskId === undefined ? { kind: 'project' } : { kind: 'task', taskId };
}

function isAbsence(error: unknown): boolean {
  return error instanceof Problem && (error.name === 'project-not-found' || error.name === 'task-not-found');
}
