import * as z from 'zod/mini';
import { customId, id, rule, taskId } from '../../contract/fields.ts';
import { Problem } from '../../contract/problem.ts';
import type { Receipt } from '../../contract/receipt.ts';
import { COMPANY_ID } from '../../credentials/keys.ts';
import type { DeletionScope, ProjectRef, ProjectService } from '../../service/port.ts';
import { Execution, type TaskHandler, type TaskOptions, task } from './task.ts';

/** The scope is always said: a task id that got lost on the way must not turn into the whole project. */
const DeleteProjectCommand = z
  .strictObject({
    companyId: z.string().check(z.regex(COMPANY_ID)),
    execution: z.optional(Execution),
    scope: z.enum(['project', 'task']),
    projectId: z.optional(id()),
    customId: z.optional(customId()),
    taskId: z.optional(taskId()),
  })
  .check(
    rule<Command>(
      'required',
      'Name the project by projectId or by customId, and not by both.',
      ({ projectId, customId }) => (projectId === undefined) !== (customId === undefined),
      ['projectId'],
    ),
    rule<Command>(
      'required',
      'The scope task needs a taskId, and the scope project takes none.',
      ({ scope, taskId }) => (scope === 'task') === (taskId !== undefined),
      ['taskId'],
    ),
  );

interface Command {
  readonly scope: Receipt['scope'];
  readonly projectId?: number | undefined;
  readonly customId?: string | undefined;
  readonly taskId?: string | undefined;
}

/** What is gone already, by this workflow's earlier attempt or by anybody, is what the workflow asked for. */
export interface AlreadyAbsent {
  readonly scope: Receipt['scope'];
  readonly outcome: 'already-absent';
}

/** The task that deletes a project or one task of it. */
export function deleteProjectTask(
  service: ProjectService,
  options?: TaskOptions,
): TaskHandler<Receipt | AlreadyAbsent> {
  return task(
    'deleteProjectTask',
    DeleteProjectCommand,
    async (command, call) => {
      try {
        return await service.delete(refOf(command), scopeOf(command), call);
      } catch (error) {
        if (isAbsence(error)) return { scope: command.scope, outcome: 'already-absent' };
        throw error;
      }
    },
    options,
  );
}

function refOf({ projectId, customId }: Command): ProjectRef {
  if (projectId !== undefined) return { id: projectId };
  if (customId !== undefined) return { customId };
  throw new TypeError('A checked command names its project');
}

function scopeOf({ taskId }: Command): DeletionScope {
  return taskId === undefined ? { kind: 'project' } : { kind: 'task', taskId };
}

function isAbsence(error: unknown): boolean {
  return error instanceof Problem && (error.name === 'project-not-found' || error.name === 'task-not-found');
}
