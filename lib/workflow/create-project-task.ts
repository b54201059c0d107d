import * as z from 'zod/mini';
import { rule } from '../contract/fields.ts';
import { parseJson } from '../contract/json.ts';
import { type CreatedProject, runCreation } from '../service/command.ts';
import type { ProjectChanges } from '../service/port.ts';
import { objectProblems, ProjectReference, type ReadObject } from './project-reference.ts';
import { STATE_FIELDS, type TaskHandler, type TaskOptions, task } from './task-handler.ts';

/** The options of `createProjectTask`. */
export interface CreateTaskOptions extends TaskOptions {
  /** Reads the object that `projectFrom` names. Without this function, the task refuses `projectFrom`. */
  readonly readObject?: ReadObject;
}

const CreateProjectCommand = z
  .strictObject({
    ...STATE_FIELDS,
    project: z.optional(z.unknown()),
    projectFrom: z.optional(ProjectReference),
  })
  .check(
    rule<object>(
      'required',
      'Give either project or projectFrom, but not both. projectFrom names the S3 object that contains the project.',
      (command) => 'project' in command !== 'projectFrom' in command,
      ['project'],
    ),
  );

/**
 * Makes the handler of the workflow task that creates a project. Its output does not contain the project, because Step
 * Functions limits a state's output to 256 KiB.
 */
export function createProjectTask(
  service: ProjectChanges,
  { readObject = refuseReference, ...options }: CreateTaskOptions,
): TaskHandler<CreatedProject> {
  return task(
    'createProjectTask',
    CreateProjectCommand,
    async ({ project, projectFrom }, call, nowMs) => {
      const value = projectFrom ? parseJson(await readObject(projectFrom, call.deadline)) : project;
      return runCreation(service, value, call, nowMs);
    },
    options,
  );
}

async function refuseReference(): Promise<never> {
  throw objectProblems.notReadable();
}
