import * as z from 'zod/mini';
import { type CreatedProject, runCreation } from '../service/command.ts';
import type { ProjectChanges } from '../service/port.ts';
import { PROJECT_INPUT, PROJECT_INPUT_RULE, type ProjectTaskOptions, projectOf } from './project-reference.ts';
import { STATE_FIELDS, type TaskHandler, task } from './task-handler.ts';

const CreateProjectCommand = z.strictObject({ ...STATE_FIELDS, ...PROJECT_INPUT }).check(PROJECT_INPUT_RULE);

/**
 * Makes the handler of the workflow task that creates a project. Its output does not contain the project, because Step
 * Functions limits a state's output to 256 KiB.
 */
export function createProjectTask(service: ProjectChanges, options: ProjectTaskOptions): TaskHandler<CreatedProject> {
  return task(
    'createProjectTask',
    CreateProjectCommand,
    async (command, call, nowMs) => runCreation(service, await projectOf(command, options, call.deadline), call, nowMs),
    options,
  );
}
