import { callContext } from '../http/operation.ts';
import { deletionScope } from '../http/project-ref.ts';
import { DeletionPlan, planOf } from '../service/deletion-plan.ts';
import { encodeObject } from '../service/encoded-text.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { NOT_FOUND, READ, READ_UPSTREAM } from './route-parts.ts';

export const planDeletionRoutes = /* @__PURE__ */ projectRoutes({
  ...READ,
  id: 'planDeletion',
  function: 'readProjects',
  path: '/deletion',
  summaries: ['Plan a deletion', 'Plan a deletion by custom id'],
  scope: 'delete',
  query: ['taskId'],
  problems: [...NOT_FOUND, ...READ_UPSTREAM],
});

export const planDeletion = /* @__PURE__ */ onProject(planDeletionRoutes, async (request, readRef, service) => {
  const ref = readRef();
  const planned = await service.planDeletion(ref, deletionScope(request), callContext(request));
  return { status: 200, json: await encodeObject(planned) };
});

export const planDeletionDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Shows what a deletion would remove, and deletes nothing. To delete exactly that, send the `plan` of the answer in the `If-Match` header of the deletion.',
  answers: [
    {
      status: 200,
      description: 'What the deletion would remove now. Nothing is deleted.',
      schema: DeletionPlan,
      example: planExample(),
    },
  ],
  schemas: { DeletionPlan },
});

export function planExample(): DeletionPlan {
  const { projectId, taskId, removed, customId } = example.receipt;
  return planOf({ projectId, taskId, removes: removed }, customId);
}
