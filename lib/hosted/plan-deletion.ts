import type { DeletionPlan } from '../contract/deletion-plan.ts';
import { planOf } from '../service/planned-deletion.ts';
import type { CallContext, DeletionScope, ProjectRef } from '../service/port.ts';
import { readConsistently, requireTaskRuns } from './consistent-read.ts';
import { taskCounts } from './delete-project.ts';
import type { HostedDeps } from './deps.ts';

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
    const runs = await requireTaskRuns(deps, call.companyId, project, taskId);
    return planOf({ projectId, taskId, removes: taskCounts(runs, taskId) }, customId);
  });
}
