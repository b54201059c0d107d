import * as z from 'zod/mini';
import { COMPANY_ID } from '../../contract/company-id.ts';
import { type CreatedProject, createProject } from '../../service/commands/create.ts';
import type { ProjectService } from '../../service/port.ts';
import { Execution, type TaskHandler, type TaskOptions, task } from './task.ts';

const CreateProjectCommand = z.strictObject({
  companyId: z.string().check(z.regex(COMPANY_ID)),
  execution: z.optional(Execution),
  project: z.unknown(),
});

/** The task that creates a project: its output is small, since a state is at most 256 KiB. */
export function createProjectTask(service: ProjectService, options?: TaskOptions): TaskHandler<CreatedProject> {
  return task(
    'createProjectTask',
    CreateProjectCommand,
    ({ project }, call, nowMs) => createProject(service, project, call, nowMs),
    options,
  );
}
