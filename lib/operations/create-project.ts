import { Cost, OperationStarted, only, Quote, QuotedTranslation, ValidAnswer } from '../contract/answers.ts';
import { PROJECTS_PATH, projectPath } from '../contract/paths.ts';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../contract/project.ts';
import {
  PublishedLanguageNote,
  PublishedProject,
  PublishedSegment,
  PublishedTargetLanguage,
  PublishedTeamMember,
} from '../contract/published-project.ts';
import type { Route } from '../contract/routes.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { callContext, type OperationHandler, operation } from '../http/operation.ts';
import { encodeObject } from '../service/encoded-text.ts';
import type { ProjectChanges } from '../service/port.ts';
import * as example from './docs/examples.ts';
import { KEY, type OperationDocs, prefer, REPLAYED, RUNNING } from './docs/operation-docs.ts';
import { BODY, CHANGED_UPSTREAM, WITH_KEY } from './route-parts.ts';
import {
  type ProjectOptions,
  preferencesApplied,
  readProject,
  requireDeliverable,
  runAsPreferred,
} from './sent-project.ts';

export const createProjectRoute = {
  id: 'createProject',
  function: 'changeProjects',
  method: 'POST',
  path: PROJECTS_PATH,
  summary: 'Create a project',
  scope: 'create',
  query: ['validateOnly'],
  body: 'project',
  problems: [
    ...BODY,
    'invalid-project',
    'team-without-translator',
    'custom-id-in-use',
    'quota-exceeded',
    ...WITH_KEY,
    'project-deleted',
    ...CHANGED_UPSTREAM,
  ],
} as const satisfies Route;

/** Makes the handler of `POST /segments/projects`. */
export function createProject(service: ProjectChanges, options: ProjectOptions): OperationHandler {
  return operation(createProjectRoute, { ...options, body: jsonBody('project') }, async (request) => {
    const sent = await readProject(request, service, options);
    const { project, supportsPair, applied } = sent;
    const call = { ...callContext(request), supportsPair };
    if (request.parameters.validateOnly) {
      await service.validate(project, call);
      const { validAnswer } = await import('../service/quote.ts');
      const valid = await validAnswer(project, await options.quotedEngine?.());
      return { status: 200, headers: preferencesApplied(applied), json: await encodeObject(valid) };
    }
    return runAsPreferred(
      request,
      { ...options, applied },
      {
        async work(idempotency) {
          requireDeliverable(request, project);
          return service.create(project, { ...call, idempotency });
        },
        async answer(made, headers) {
          const location = { Location: request.baseUrl + projectPath(made) };
          return { status: 201, headers: { ...location, ...headers }, json: made.json, hasEffect: true };
        },
      },
    );
  });
}

/** Where the answer has the parameters of operations on the created project. */
const BY_ID = { id: '$response.body#/id' };
const BY_CUSTOM_ID = { customId: '$response.body#/customId' };

export const createProjectDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Creates a project and starts the work on it. To check a project without creating it, set `validateOnly=true`. If the project is invalid, the answer lists every fault. To retry safely, send an `Idempotency-Key`, or give the project a `customId`.',
  forAgents:
    'Creates a project and starts the work on it. For automatic translation, give each target language `serviceAutomaticTranslation: true`. To check a project without creating it, set `validateOnly`: if it is invalid, the answer lists every fault. To create it, give an `idempotencyKey` that you keep: a repetition with the same key creates nothing again.',
  request: { schema: ProjectRequest, example: example.request },
  headers: [
    KEY,
    prefer(
      'respond-async',
      'With `respond-async`, the answer has the operation in place of the project. With `handling=strict`, the hosted service refuses a project if the engine cannot translate one of its languages automatically.',
    ),
  ],
  answers: [
    {
      status: 201,
      description: 'The project has been created.',
      schema: PublishedProject,
      example: example.project,
      headers: ['Location', ...REPLAYED],
      links: {
        getProject: { description: 'Gets the created project.', parameters: BY_ID },
        deleteProject: { description: 'Deletes the created project.', parameters: BY_ID },
        getProjectByCustomId: {
          description: 'Gets the created project, if the request gave it a custom id.',
          parameters: BY_CUSTOM_ID,
        },
        deleteProjectByCustomId: {
          description: 'Deletes the created project, if the request gave it a custom id.',
          parameters: BY_CUSTOM_ID,
        },
      },
    },
    {
      status: 200,
      description: 'With `validateOnly=true`: the project is valid, and what it asks for. Nothing was created.',
      schema: ValidAnswer,
      condition: 'with `validateOnly=true`',
      example: example.valid,
      headers: ['Preference-Applied'],
    },
    {
      status: 202,
      description:
        'The operation. The request asked for it with `Prefer: respond-async`, or the creation takes longer than a request may.',
      schema: OperationStarted,
      condition: 'with `Prefer: respond-async`',
      example: example.started,
      ...RUNNING,
    },
  ],
  result: { project: only(PublishedProject, 'After a creation or a put: the project in its current state.') },
  schemas: {
    ProjectRequest,
    TargetLanguageRequest: TargetLanguage,
    TeamMemberRequest: TeamMember,
    SegmentRequest: Segment,
    LanguageNoteRequest: LanguageNote,
    Project: PublishedProject,
    TargetLanguage: PublishedTargetLanguage,
    TeamMember: PublishedTeamMember,
    Segment: PublishedSegment,
    LanguageNote: PublishedLanguageNote,
    ValidAnswer,
    Quote,
    QuotedTranslation,
    Cost,
    OperationStarted,
  },
  clientTypes: {
    Project: 'DocumentedProject',
    TargetLanguage: 'DocumentedTargetLanguage',
    TeamMember: 'DocumentedTeamMember',
    Segment: 'DocumentedSegment',
    LanguageNote: 'DocumentedLanguageNote',
    ValidAnswer: 'ValidProject',
    Quote: 'Quote',
    QuotedTranslation: 'QuotedTranslation',
    Cost: 'Cost',
    OperationStarted: null,
  },
});
