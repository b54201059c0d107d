import * as z from 'zod/mini';
import { DELETION, DELETION_RULES, type DeletionResult, runDeletion } from '../service/command.ts';
import type { ProjectChanges } from '../service/port.ts';
import { STATE_FIELDS, type TaskHandler, type TaskOptions, task } from './task-handler.ts';

const DeleteProjectCommand = z.strictObject({ ...STATE_FIELDS, ...DELETION }).check(...DELETION_RULES);

/**
 * Makes the handler of the workflow task that deletes a project, or one task of a project. If the project or that task
 * does not exist, or the project has a higher revision, the handler succeeds too.
 */
export function deleteProjectTask(service: ProjectChanges, options: TaskOptions): TaskHandler<DeletionResult> {
  return task(
    'deleteProjectTask',
    DeleteProjectCommand,
    (command, call) => runDeletion(service, command, call),
    options,
  );
}
