import type { ProgressAnswer } from '../contract/project-answer.ts';
import {
  PublishedAssignee,
  PublishedLanguageProgress,
  PublishedProgress,
  PublishedTaskProgress,
} from '../contract/published-project.ts';
import { acceptsGzip } from '../http/negotiation.ts';
import { callContext } from '../http/operation.ts';
import { encodeObject } from '../service/encoded-text.ts';
import type { ProjectReads } from '../service/port.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { NOT_FOUND, READ, READ_UPSTREAM } from './route-parts.ts';

export const getProgressRoutes = /* @__PURE__ */ projectRoutes({
  ...READ,
  id: 'getProgress',
  function: 'readProjects',
  path: '/progress',
  summaries: ['Get the progress of a project', 'Get the progress of a project by its custom id'],
  query: ['taskId'],
  problems: [...NOT_FOUND, ...READ_UPSTREAM],
});

export const getProgress = /* @__PURE__ */ onProject(
  getProgressRoutes,
  async (request, readRef, service: ProjectReads) => {
    const ref = readRef();
    const progress = await service.progress(ref, request.parameters.taskId, callContext(request));
    return { status: 200, json: await encodeObject(progress, acceptsGzip(request.header('accept-encoding'))) };
  },
);

export const getProgressDocs = (): OperationDocs => ({
  tag: 'Results',
  description:
    'Returns the progress of each task and target language. A target language is finished when its progress is 100.',
  forAgents:
    'Returns the progress of each task and target language. A target language is finished when its progress is 100. Automatic translation takes seconds to minutes: wait some seconds before you ask again. If the progress does not move, call getProject. It shows the state, the services and the automatic translation of each language. If no service and no team works on a language, stop and tell the user.',
  answers: [
    {
      status: 200,
      description: 'The progress of the project. With `taskId`: of that task.',
      schema: PublishedProgress,
      example: progressExample(),
    },
  ],
  schemas: {
    Progress: PublishedProgress,
    TaskProgress: PublishedTaskProgress,
    LanguageProgress: PublishedLanguageProgress,
    Assignee: PublishedAssignee,
  },
});

function progressExample(): ProgressAnswer {
  const languages = [{ ...example.german, progress: 0 }];
  return {
    total: 0,
    tasks: [{ taskId: 'front-page', total: 0, targetLanguages: languages }],
    languages,
    assignees: [],
  };
}
