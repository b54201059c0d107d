import * as z from 'zod/mini';
import { required } from '../contract/fields.ts';
import { Receipt } from '../contract/receipt.ts';
import { callContext } from '../http/operation.ts';
import { deletionScope } from '../http/project-ref.ts';
import { encodeObject } from '../service/encoded-text.ts';
import type { ProjectReads } from '../service/port.ts';
import { type Removal, removalToken } from '../service/removal-plan.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { NOT_FOUND, READ, READ_UPSTREAM } from './route-parts.ts';

/**
 * The schema of the plan of a deletion: what the deletion would remove now. It is made in a pure call, so that a bundle
 * without its documentation has none of it.
 */
const DeletionPlan = /* @__PURE__ */ (() => {
  const { scope, projectId, customId, taskId, removed } = Receipt.shape;
  return z.strictObject({
    scope,
    projectId,
    customId,
    taskId,
    removes: removed,
    plan: required(
      z.string(),
      'A token for the header `If-Match` of the deletion, in quotation marks. Segue then deletes only what this plan shows.',
    ),
  });
})();
type DeletionPlan = z.infer<typeof DeletionPlan>;

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

export const planDeletion = /* @__PURE__ */ onProject(
  planDeletionRoutes,
  async (request, readRef, service: ProjectReads) => {
    const ref = readRef();
    const removal = await service.removal(ref, deletionScope(request), callContext(request));
    return { status: 200, json: await encodeObject(answerOf(removal)) };
  },
);

function answerOf(removal: Removal): DeletionPlan {
  const { projectId, customId, taskId, removes } = removal;
  const scope = taskId === null ? 'project' : 'task';
  return { scope, projectId, customId, taskId, removes, plan: removalToken(removal) };
}

export const planDeletionDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Shows what a deletion would remove, and deletes nothing. To delete exactly that, send the `plan` of the answer in the `If-Match` header of the deletion.',
  forAgents:
    'Shows how much a deletion would remove, and deletes nothing. Show it to the user, and ask whether to delete. Then pass the `plan` of the answer, unchanged, to the deletion. A plan counts target languages, segments and tasks. It does not compare their content, and it is no permission.',
  answers: [
    {
      status: 200,
      description: 'What the deletion would remove now. Nothing is deleted.',
      schema: DeletionPlan,
      example: answerOf(example.removal),
    },
  ],
  schemas: { DeletionPlan },
});
