import { callContext } from '../http/operation.ts';
import { deletionScope } from '../http/project-ref.ts';
import { encodeObject } from '../service/encoded-text.ts';
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
