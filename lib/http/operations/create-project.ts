import { randomUUID } from 'node:crypto';
import type { OperationStarted, ValidAnswer } from '../../contract/answers.ts';
import { checkProject } from '../../contract/check.ts';
import { Problem } from '../../contract/problem.ts';
import type { CheckedProject } from '../../contract/project.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { ProjectService } from '../../service/port.ts';
import { accepted, MAX_ANSWER_BYTES, tooLargeWithoutGzip } from '../http-result.ts';
import { readOperationIdempotency } from '../idempotency-key.ts';
import { jsonBody } from '../middleware/body.ts';
import { acceptsGzip, prefersAsync } from '../negotiation.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import type { HttpRequest } from '../request.ts';

interface CreateOptions extends OperationOptions {
  /** Makes an id for each request. */
  readonly newId?: () => string;
}

/** `POST /segments/projects` */
export function createProject(service: ProjectService, options: CreateOptions): HttpHandler {
  const { now, newId = randomUUID } = options;
  // Keys of clients cannot contain a space.
  const newKey = () => `operation ${newId()}`;
  return operation('createProject', { ...options, body: jsonBody('project') }, async (request) => {
    const project = checkProject(request.body, { nowMs: now(), toleranceMs: service.startDateToleranceMs });
    if (request.parameters.validateOnly) {
      await service.validate(project, callContext(request));
      return { status: 200, json: await encodeText(JSON.stringify(countsOf(project))) };
    }
    const isAsync = prefersAsync(request.header('prefer'));
    const { idempotency, headers } = readOperationIdempotency(request, isAsync ? newKey : undefined);
    if (isAsync) headers['Preference-Applied'] = 'respond-async';
    requireDeliverable(request, project);
    const made = await service.create(project, { ...callContext(request), idempotency }).catch(stillRunning);
    if ('status' in made) return accepted(request, made, headers);
    const { operationId } = request;
    if (isAsync && operationId !== undefined) return accepted(request, { operationId, status: 'done' }, headers);
    const location = { Location: `${request.baseUrl}/segments/projects/${made.id}` };
    return { status: 201, headers: { ...location, ...headers }, json: made.json, hasEffect: true };
  });
}

/** A creation that is still running at the deadline continues. The client gets the operation to poll. */
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
 * The most bytes that an object of the result has more than in the request: the longest values of its added fields, and
 * written-out numbers (`1e15` has four bytes in the request and seventeen in the result).
 */
const ADDED = { project: 300, targetLanguage: 220, member: 220, segment: 25, note: 110 } as const;

/**
 * Rejects a project whose result may be too large for a client that does not accept gzip: the client would never get its
 * id. The exact size is known only with the ids, so this checks the largest possible size.
 * @throws {Problem} `not-acceptable`
 */
function requireDeliverable(request: HttpRequest, project: CheckedProject): void {
  if (acceptsGzip(request.header('accept-encoding'))) return;
  let added: number = ADDED.project;
  for (const { team } of project.targetLanguages) added += ADDED.targetLanguage + (team?.length ?? 0) * ADDED.member;
  for (const { languageSpecificNotes } of project.segments) {
    added += ADDED.segment + (languageSpecificNotes?.length ?? 0) * ADDED.note;
  }
  // The result has neither the white space nor the escapes of the body, so write it out before rejecting.
  if (request.bodyBytes + added <= MAX_ANSWER_BYTES) return;
  if (Buffer.byteLength(JSON.stringify(project)) + added > MAX_ANSWER_BYTES) throw tooLargeWithoutGzip();
}
