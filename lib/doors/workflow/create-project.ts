import * as z from 'zod/mini';
import { checkProject } from '../../contract/check.ts';
import { utc } from '../../contract/date.ts';
import { fieldsOf } from '../../contract/pointer.ts';
import { COMPANY_ID } from '../../credentials/keys.ts';
import type { ProjectService } from '../../service/port.ts';
import { Execution, type TaskHandler, type TaskOptions, task } from './task.ts';

const CreateProjectCommand = z.strictObject({
  companyId: z.string().check(z.regex(COMPANY_ID)),
  execution: z.optional(Execution),
  project: z.unknown(),
});

/** What a workflow gets to know of a project it made: a state is at most 256 KiB, so nothing that grows. */
export interface CreateProjectOutput {
  readonly projectId: number;
  readonly segments: number;
  readonly targetLanguages: number;
}

/** The task that creates a project. A start date that is left out is the time of the attempt. */
export function createProjectTask(service: ProjectService, options?: TaskOptions): TaskHandler<CreateProjectOutput> {
  return task(
    'createProjectTask',
    CreateProjectCommand,
    async ({ project }, call, nowMs) => {
      const clock = { nowMs, toleranceMs: service.startDateToleranceMs };
      const checked = checkProject(stamped(project, nowMs), clock);
      const { id, segments, targetLanguages } = await service.create(checked, call);
      return { projectId: id, segments, targetLanguages };
    },
    options,
  );
}

function stamped(project: unknown, nowMs: number): unknown {
  const fields = Array.isArray(project) ? undefined : fieldsOf(project);
  return fields && (fields['startDateUtc'] ?? null) === null ? { ...fields, startDateUtc: utc(nowMs) } : project;
}
