import { randomUUID } from 'node:crypto';
import { checkProject } from '../../contract/check.ts';
import type { OperationStarted } from '../../contract/operation.ts';
import { Problem } from '../../contract/problem.ts';
import type { CheckedProject } from '../../contract/project.ts';
import { routeOf } from '../../contract/routes.ts';
import type { ValidAnswer } from '../../contract/small-answers.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { ProjectService } from '../../service/port.ts';
import { accepted } from '../accepted.ts';
import { MOST_ANSWER_BYTES, tooLargeWithoutGzip } from '../answer.ts';
import { asOperation } from '../idempotency-key.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { acceptsGzip, prefersAsync } from '../negotiation.ts';
import { callOf, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import type { HttpRequest } from '../request.ts';

export interface CreateOptions extends OperationOptions {
  /** Text that no other request gets. */
  readonly newId?: () => string;
}

/** `POST /segments/projects` */
export function createProject(service: ProjectService, options: CreateOptions): HttpHandler {
  const { now, newId = randomUUID } = options;
  // With a space, so that no caller's key is the same.
  const newKey = () => `operation ${newId()}`;
  return operation(
    routeOf('createProject'),
    jsonBody(routeOf('createProject')),
    async (request) => {
      const project = checkProject(request.body, { nowMs: now(), toleranceMs: service.startDateToleranceMs });
      if (request.parameters.validateOnly) {
        await service.validate(project, callOf(request));
        return { status: 200, json: await encodeText(JSON.stringify(countsOf(project))) };
      }
      const isAsync = prefersAsync(request.header('prefer'));
      const { idempotency, headers } = asOperation(request, isAsync ? newKey : undefined);
      if (isAsync) headers['Preference-Applied'] = 'respond-async';
      requireDeliverable(request, project);
      const made = await service.create(project, { ...callOf(request), idempotency }).catch(stillRunning);
      if ('status' in made) return accepted(request, made, headers);
      const { operationId } = request;
      if (isAsync && operationId !== undefined) return accepted(request, { operationId, status: 'done' }, headers);
      const location = { Location: `${request.baseUrl}/segments/projects/${made.id}` };
      return { status: 201, headers: { ...location, ...headers }, json: made.json, isDone: true };
    },
    options,
  );
}

/** What outlasts the time there is goes on without its caller, who is told which operation to ask. */
function stillRunning(error: unknown): OperationStarted {
  if (error instanceof Problem && error.name === 'outcome-unknown') {
    const { isRunning, operationId } = error.occurrence;
    if (isRunning && operationId !== undefined) return { operationId, status: 'running' };
  }
  throw error;
}

function countsOf({ segments, targetLanguages }: CheckedProject): ValidAnswer {
  let characters = 0;
  for (const { content } of segments) for (const _ of content) characters++;
  return { valid: true, segments: segments.length, targetLanguages: targetLanguages.length, characters };
}

/**
 * The most bytes by which an object of the answer is longer than it was in the request: the added fields with their
 * longest values, and each number written out (`1e15` has four bytes, and seventeen in the answer).
 */
const ADDED = { project: 300, targetLanguage: 220, member: 220, segment: 25, note: 110 } as const;

/**
 * A project is not made for a client that could not be told its id. How long the answer will be is known to within the
 * length of the ids, so this is the most that it can be.
 */
function requireDeliverable(request: HttpRequest, project: CheckedProject): void {
  if (acceptsGzip(request.header('accept-encoding'))) return;
  let added: number = ADDED.project;
  for (const { team } of project.targetLanguages) added += ADDED.targetLanguage + (team?.length ?? 0) * ADDED.member;
  for (const { languageSpecificNotes } of project.segments) {
    added += ADDED.segment + (languageSpecificNotes?.length ?? 0) * ADDED.note;
  }
  // White space and escapes of the body are not in the answer: only where they decide is the answer written out.
  if (request.bodyBytes + added <= MOST_ANSWER_BYTES) return;
  if (Buffer.byteLength(JSON.stringify(project)) + added > MOST_ANSWER_BYTES) throw tooLargeWithoutGzip();
}
