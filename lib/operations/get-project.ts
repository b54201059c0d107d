import { callContext } from '../http/operation.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { NOT_FOUND, READ, READ_UPSTREAM } from './route-parts.ts';

export const getProjectRoutes = /* @__PURE__ */ projectRoutes({
  ...READ,
  id: 'getProject',
  function: 'readProjects',
  path: '',
  summaries: ['Get a project', 'Get a project by its custom id'],
  query: ['taskId'],
  problems: [...NOT_FOUND, ...READ_UPSTREAM],
});

export const getProject = /* @__PURE__ */ onProject(getProjectRoutes, async (request, readRef, service) => {
  const ref = readRef();
  const { json } = await service.get(ref, request.parameters.taskId, callContext(request));
  return { status: 200, json };
});
