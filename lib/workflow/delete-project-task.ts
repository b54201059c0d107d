import * as z from 'zod/mini';
import type { Receipt } from '../contract/receipt.ts';
import { type AlreadyAbsent, DELETION, DELETION_RULES, runDeletion } from '../service/command.ts';
import type { ProjectChanges } from '../service/port.ts';
import { STATE_FIELDS, type TaskHandler, type TaskOptions, task } from './task-handler.ts';

const DeleteProjectCommand = z.strictObject({ ...STATE_FIELDS, ...DELETION }).check(...DELETION_RULES);

/**
 * Makes the handler of the workflow task that deletes a project, or one task of a project. If the project or that task
 * does not exist, the handler succeeds too.
 */
export function deleteProjectTask(service: ProjectChanges, options: TaskOptions): TaskHandler<Receipt | AlreadyAbsent> {
  return task(
    'deleteProjectTask',
    DeleteProjectCommand,
    (command, call) => runDeletion(service, command, call),
    options,
  );
}
