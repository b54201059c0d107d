import * as z from 'zod/mini';
import { type OutdatedSummary, PUT, type PutSummary, runPut } from '../service/command.ts';
import type { ProjectChanges } from '../service/port.ts';
import { PROJECT_INPUT, PROJECT_INPUT_RULE, type ProjectTaskOptions, projectOf } from './project-reference.ts';
import { STATE_FIELDS, type TaskHandler, task } from './task-handler.ts';

const PutProjectCommand = z.strictObject({ ...STATE_FIELDS, ...PROJECT_INPUT, ...PUT }).check(PROJECT_INPUT_RULE);

/**
 * Makes the handler of the workflow task that creates the project with a custom id, or makes it be what the input says.
 * If the project has a higher revision, the handler changes nothing and succeeds.
 */
export function putProjectTask(
  service: ProjectChanges,
  options: ProjectTaskOptions,
): TaskHandler<PutSummary | OutdatedSummary> {
  return task(
    'putProjectTask',
    PutProjectCommand,
    async ({ revision, ...command }, call, nowMs) => {
      const put = await projectOf(command, options, call.deadline);
      return runPut(service, { put, revision }, call, nowMs);
    },
    options,
  );
}
