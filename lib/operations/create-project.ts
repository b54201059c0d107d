import { randomUUID } from 'node:crypto';
import { Cost, OperationStarted, only, Quote, QuotedTranslation, ValidAnswer } from '../contract/answers.ts';
import { projectChecks } from '../contract/check-project.ts';
import { PROJECTS_PATH, projectPath } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import {
  type CheckedProject,
  LanguageNote,
  ProjectRequest,
  Segment,
  TargetLanguage,
  TeamMember,
} from '../contract/project.ts';
import {
  PublishedLanguageNote,
  PublishedProject,
  PublishedSegment,
  PublishedTargetLanguage,
  PublishedTeamMember,
} from '../contract/published-project.ts';
import type { Route } from '../contract/routes.ts';
import { accepted, MAX_ANSWER_BYTES, tooLargeWithoutGzip } from '../http/http-result.ts';
import { readOperationIdempotency } from '../http/idempotency-key.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { acceptsGzip, prefersAsync, prefersStrict } from '../http/negotiation.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { HttpRequest } from '../http/request.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { CallContext, ProjectChanges } from '../service/port.ts';
import type { QuotedEngine } from '../service/quote.ts';
import { inTurns } from '../service/turn.ts';
import * as example from './docs/examples.ts';
import { KEY, type OperationDocs, prefer, REPLAYED, RUNNING } from './docs/operation-docs.ts';
import { BODY, CHANGED_UPSTREAM, WITH_KEY } from './route-parts.ts';

interface CreateOptions extends OperationOptions {
  /** Makes a random id, for a request with `respond-async` that has no idempotency key. */
  readonly newId?: () => string;
  /** Whether the engine translates between two languages; absent if `Prefer: handling=strict` has no effect. */
  readonly supportsPair?: CallContext['supportsPair'];
  /** Returns the engine whose work is quoted; absent or `undefined` if Segue translates nothing automatically. */
  readonly quotedEngine?: (() => Promise<QuotedEngine | undefined>) | undefined;
}

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
export function createProject(service: ProjectChanges, options: CreateOptions): OperationHandler {
  const { now, newId = randomUUID } = options;
  // The key contains a space, so no client can send it.
  const newKey = () => `operation ${newId()}`;
  return operation(createProjectRoute, { ...options, body: jsonBody('project') }, async (request) => {
    const { startDateToleranceMs: toleranceMs, allowsLoopbackEvents } = service;
    const project = await inTurns(projectChecks(request.body, { nowMs: now(), toleranceMs, allowsLoopbackEvents }));
    const prefer = request.header('prefer');
    const supportsPair = prefersStrict(prefer) ? options.supportsPair : undefined;
    const strictly = supportsPair ? ['handling=strict'] : [];
    if (request.parameters.validateOnly) {
      await service.validate(project, { ...callContext(request), supportsPair });
      const { validAnswer } = await import('../service/quote.ts');
      const valid = await validAnswer(project, await options.quotedEngine?.());
      return { status: 200, headers: applied(strictly), json: await encodeText(JSON.stringify(valid)) };
    }
    const isAsync = prefersAsync(prefer);
    const { idempotency, headers } = readOperationIdempotency(request, isAsync ? newKey : undefined);
    Object.assign(headers, applied([...(isAsync ? ['respond-async'] : []), ...strictly]));
    requireDeliverable(request, project);
    const made = await service
      .create(project, {
        ...callContext(request),
        supportsPair,
        idempotency: idempotency && { ...idempotency, isAnnounced: isAsync },
      })
      .catch(stillRunning);
    if ('status' in made) return accepted(request, made, headers);
    const { operationId } = request;
    if (isAsync && operationId !== undefined) return accepted(request, { operationId, status: 'done' }, headers);
    const location = { Location: request.baseUrl + projectPath(made) };
    return { status: 201, headers: { ...location, ...headers }, json: made.json, hasEffect: true };
  });
}

/** Returns the header that names the applied preferences. */
function applied(preferences: readonly string[]): Record<string, string> {
  return preferences.length > 0 ? { 'Preference-Applied': preferences.join(', ') } : {};
}

/** Handles a creation that still runs at the deadline. It continues, and the client gets the operation to poll. */
function stillRunning(error: unknown): OperationStarted {
  if (error instanceof Problem && error.name === 'outcome-unknown') {
    const { isRunning, operationId } = error.occurrence;
    if (isRunning && operationId !== undefined) return { operationId, status: 'running' };
  }
  throw error;
}

/**
 * The most bytes by which each object can be longer in the result than in the request. The result has more fields, and
 * writes numbers in full: `1e15` has 4 bytes in the request and 16 in the result.
 */
const ADDED = { project: 300, targetLanguage: 220, member: 220, segment: 25, note: 110 } as const;

/**
 * Rejects a project whose result may be too large for a client that does not accept gzip. Otherwise that client could
 * never receive the id. The exact size depends on the ids, so this function checks the largest possible size.
 * @throws {Problem} `not-acceptable`
 */
function requireDeliverable(request: HttpRequest, project: CheckedProject): void {
  if (acceptsGzip(request.header('accept-encoding'))) return;
  let added: number = ADDED.project;
  for (const { team } of project.targetLanguages) added += ADDED.targetLanguage + (team?.length ?? 0) * ADDED.member;
  for (const { languageSpecificNotes } of project.segments) {
    added += ADDED.segment + (languageSpecificNotes?.length ?? 0) * ADDED.note;
  }
  // The result may be shorter than the body, which can have white space and escapes. Measure it before rejecting.
  if (request.bodyBytes + added <= MAX_ANSWER_BYTES) return;
  if (Buffer.byteLength(JSON.stringify(project)) + added > MAX_ANSWER_BYTES) throw tooLargeWithoutGzip();
}

/** Where the answer has the parameters of operations on the created project. */
const BY_ID = { id: '$response.body#/id' };
const BY_CUSTOM_ID = { customId: '$response.body#/customId' };

export const createProjectDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Creates a project and starts the work on it. To check a project without creating it, set `validateOnly=true`. If the project is invalid, the answer lists every fault. To retry safely, send an `Idempotency-Key`, or give the project a `customId`.',
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
  result: { project: only(PublishedProject, 'After a creation: the project in its current state.') },
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
