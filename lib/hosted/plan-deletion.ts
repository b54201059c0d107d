import type { DeletionPlan } from '../contract/deletion-plan.ts';
import { planOf } from '../service/planned-deletion.ts';
import type { CallContext, DeletionScope, ProjectRef } from '../service/port.ts';
import { readConsistently, requireTaskRuns } from './consistent-read.ts';
import type { HostedDeps } from './deps.ts';
import { tasksIn } from './work/segment-tasks.ts';

/**
 * Counts what a deletion would remove, as `deleteProject` does.
 * @throws {Problem} `project-not-found`, `task-not-found`
 */
export function planDeletion(
  deps: HostedDeps,
  ref: ProjectRef,
  scope: DeletionScope,
  call: CallContext,
): Promise<DeletionPlan> {
  return readConsistently(deps, ref, call, async (project) => {
    const { id: projectId, customId, targetLanguages, segments, tasks } = project.record;
    if (scope.kind === 'project') {
      return planOf({ projectId, taskId: null, removes: { targetLanguages, segments, tasks } }, customId);
    }
    const { taskId } = scope;
    const ofTask = tasksIn(await requireTaskRuns(deps, call.companyId, project, taskId)).get(taskId) ?? 0;
    return planOf({ projectId, taskId, removes: { targetLanguages: 0, segments: ofTask, tasks: 1 } }, customId);
  });
}
