import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/company-id.ts';
import { rule, text } from '../contract/fields.ts';
import { parseJson } from '../contract/json.ts';
import { type CreatedProject, createProject } from '../service/commands/create.ts';
import type { Call, ProjectService } from '../service/port.ts';
import { failures } from './payloads/failures.ts';
import type { ReadObject } from './payloads/port.ts';
import { Execution, type TaskHandler, type TaskOptions, task } from './task.ts';

/** What the task that creates takes from outside. */
export interface CreateTaskOptions extends TaskOptions {
  /** Where projects are that a command names; unless given there are none. */
  readonly readObject?: ReadObject;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const isBucket = rule<string>('not-allowed', 'This field must be the name of a bucket.', (t) => BUCKET.test(t));
const notEmpty = rule<string>('empty', 'The text must not be empty.', (t) => t.length > 0);

/** Of S3: bytes of a key, and of the name of a version. */
const MOST_KEY_CHARACTERS = 1_024;

/** A project that is elsewhere: what is in a state stands in the execution's history for 90 days. */
const ProjectFrom = z.strictObject({
  bucket: z.string().check(isBucket),
  key: text(MOST_KEY_CHARACTERS).check(notEmpty),
  versionId: z.optional(text(MOST_KEY_CHARACTERS).check(notEmpty)),
});

const CreateProjectCommand = z
  .strictObject({
    companyId: z.string().check(z.regex(COMPANY_ID)),
    execution: z.optional(Execution),
    project: z.optional(z.unknown()),
    projectFrom: z.optional(ProjectFrom),
  })
  .check(
    rule<object>(
      'required',
      'Give the project, or in projectFrom where it is, and not both.',
      (command) => 'project' in command !== 'projectFrom' in command,
      ['project'],
    ),
  );
type CreateProjectCommand = z.infer<typeof CreateProjectCommand>;

/** The task that creates a project: its output is small, since a state is at most 256 KiB. */
export function createProjectTask(
  service: ProjectService,
  { readObject = noObjects, ...options }: CreateTaskOptions,
): TaskHandler<CreatedProject> {
  async function projectOf({ project, projectFrom }: CreateProjectCommand, { deadline }: Call): Promise<unknown> {
    return projectFrom ? parseJson(await readObject(projectFrom, deadline)) : project;
  }
  return task(
    'createProjectTask',
    CreateProjectCommand,
    async (command, call, nowMs) => createProject(service, await projectOf(command, call), call, nowMs),
    options,
  );
}

async function noObjects(): Promise<never> {
  throw failures.noObject();
}
