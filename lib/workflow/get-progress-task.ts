import * as z from 'zod/mini';
import { taskId } from '../contract/fields.ts';
import { NAMED, NAMED_RULE, refOf } from '../service/command.ts';
import type { ProjectReads, ServiceProgress } from '../service/port.ts';
import { STATE_FIELDS, type TaskHandler, type TaskOptions, task } from './task-handler.ts';

const GetProgressCommand = z
  .strictObject({ ...STATE_FIELDS, ...NAMED, taskId: z.optional(taskId()) })
  .check(NAMED_RULE);

/** The output of the task. A count or percentage is as the service gives it. */
export interface ProgressOutput {
  readonly total: unknown;
  /** The progress in each target language. */
  readonly languages: unknown;
}

/** Returns the part of a progress that a task shows. */
export function progressOutput({ total = null, languages = null }: ServiceProgress): ProgressOutput {
  return { total, languages };
}

/**
 * Makes the handler of the workflow task that reads the progress of a project, or of one task of it. Its output does not
 * show every task, because Step Functions limits a state's output to 256 KiB.
 */
export function getProgressTask(service: ProjectReads, options: TaskOptions): TaskHandler<ProgressOutput> {
  return task(
    'getProgressTask',
    GetProgressCommand,
    async (command, call) => progressOutput(await service.progress(refOf(command), command.taskId, call)),
    options,
  );
}
