import { PublishedProject } from '../contract/published-project.ts';
import { callContext } from '../http/operation.ts';
import type { ProjectReads } from '../service/port.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
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

export const getProject = /* @__PURE__ */ onProject(
  getProjectRoutes,
  async (request, readRef, service: ProjectReads) => {
    const ref = readRef();
    const { json } = await service.get(ref, request.parameters.taskId, callContext(request));
    return { status: 200, json };
  },
);

export const getProjectDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Returns the project with all of its segments. With `taskId`, it returns only the segments of that task.',
  forAgents:
    'Returns the project with all of its segments, without translations. With `taskId`, it returns only the segments of that task.',
  answers: [{ status: 200, description: 'The project.', schema: PublishedProject, example: example.project }],
});
