import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/credentials.ts';
import { customId, id, rule, taskId } from '../contract/fields.ts';
import { refOf } from '../service/command.ts';
import type { ProjectService } from '../service/port.ts';
import { Execution, type TaskHandler, type TaskOptions, task } from './task.ts';

const GetProgressCommand = z
  .strictObject({
    companyId: z.string().check(z.regex(COMPANY_ID)),
    execution: z.optional(Execution),
    projectId: z.optional(id()),
    customId: z.optional(customId()),
    taskId: z.optional(taskId()),
  })
  .check(
    rule<{ readonly projectId?: number | undefined; readonly customId?: string | undefined }>(
      'required',
      'Name the project by projectId or by customId, but not by both.',
      (command) => (command.projectId === undefined) !== (command.customId === undefined),
      ['projectId'],
    ),
  );

/** The output of the task. A count or percentage is as the service gives it. */
export interface ProgressOutput {
  readonly total: unknown;
  /** The progress in each target language. */
  readonly languages: unknown;
}

/**
 * Makes the handler of the workflow task that reads the progress of a project, or of one task of it. Its output does not
 * show every task, because Step Functions limits a state's output to 256 KiB.
 */
export function getProgressTask(service: ProjectService, options: TaskOptions): TaskHandler<ProgressOutput> {
  return task(
    'getProgressTask',
    GetProgressCommand,
    async (command, call) => {
      const ref = refOf(command.projectId, command.customId);
      const { total = null, languages = null } = await service.progress(ref, command.taskId, call);
      return { total, languages };
    },
    options,
  );
}
