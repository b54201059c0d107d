import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/credentials.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type AlreadyAbsent, DELETION, DELETION_RULES, runDeletion } from '../service/command.ts';
import type { ProjectService } from '../service/port.ts';
import { Execution, type TaskHandler, type TaskOptions, task } from './task.ts';

const DeleteProjectCommand = z
  .strictObject({
    companyId: z.string().check(z.regex(COMPANY_ID)),
    execution: z.optional(Execution),
    ...DELETION,
  })
  .check(...DELETION_RULES);

/**
 * Makes the handler of the workflow task that deletes a project, or one task of a project. If the project or that task
 * does not exist, the handler succeeds too.
 */
export function deleteProjectTask(service: ProjectService, options: TaskOptions): TaskHandler<Receipt | AlreadyAbsent> {
  return task(
    'deleteProjectTask',
    DeleteProjectCommand,
    (command, call) => runDeletion(service, command, call),
    options,
  );
}
