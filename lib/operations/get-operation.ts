import * as z from 'zod/mini';
import { OperationStarted, only, ProblemAnswer } from '../contract/answers.ts';
import * as failures from '../contract/failures.ts';
import { OPERATIONS_PATH, PROBLEMS_PATH } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import type { Route } from '../contract/routes.ts';
import { RETRY_WHILE_RUNNING } from '../http/http-result.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { HttpRequest } from '../http/request.ts';
import { type EncodedText, encodeText, encodeWith } from '../service/encoded-text.ts';
import type { OperationState, ProjectReads } from '../service/port.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { READ, READ_UPSTREAM } from './route-parts.ts';

export const getOperationRoute = {
  ...READ,
  id: 'getOperation',
  function: 'readProjects',
  path: `${OPERATIONS_PATH}/{operationId}`,
  summary: 'Get the state of an operation',
  query: [],
  problems: ['operation-not-found', 'unexpected-body', 'content-lost', ...READ_UPSTREAM],
} as const satisfies Route;

/** Makes the handler of `GET /operations/{operationId}`. */
export function getOperation(service: ProjectReads, options: OperationOptions): OperationHandler {
  return operation(getOperationRoute, options, async (request) => {
    const operationId = readOperationId(request.segment('operationId'));
    const state = await service.operation(operationId, callContext(request));
    return {
      status: 200,
      headers: state.kind === 'running' ? RETRY_WHILE_RUNNING : {},
      json: await encodeState(request, { operationId, status: state.kind }, state),
    };
  });
}

/**
 * Reads an operation id from a path segment. An id is a SHA-256 in base64url, which needs no percent-encoding.
 * @throws {Problem} `operation-not-found` if the segment has another form
 */
function readOperationId(segment: string): string {
  if (!/^[\w-]{43}$/.test(segment)) throw failures.operationNotFound();
  return segment;
}

/** Encodes the state of an operation. The project's JSON is copied without parsing, because it may be large. */
function encodeState(
  { baseUrl, requestId }: HttpRequest,
  started: OperationStarted,
  state: OperationState,
): Promise<EncodedText> {
  const encode = (member: object) => encodeText(JSON.stringify({ ...started, ...member }));
  if (state.kind === 'running') return encode({});
  const result = state.kind === 'failed' ? state.problem : state.result;
  if (result instanceof Problem) return encode({ problem: result.body(baseUrl + PROBLEMS_PATH, requestId) });
  if ('json' in result) return encodeWith(started, 'project', result.json);
  return encode('projectId' in result ? { receipt: result } : result);
}

/** @param results what the answer shows of the requests of all other operations: its fields, with their schemas */
export function getOperationDocs(results: NonNullable<OperationDocs['result']>): OperationDocs {
  const Operation = z.strictObject({
    ...OperationStarted.shape,
    ...results,
    problem: only(
      ProblemAnswer,
      'If the request failed: its problem. If the project has been deleted since: the problem `project-deleted`.',
    ),
  });
  return {
    tag: 'Operations',
    description:
      'Returns the state of a request that runs in the background, or whose outcome was unknown. The id is in the answer of that request.',
    answers: [
      {
        status: 200,
        description: 'The state of the operation, and its result.',
        schema: Operation,
        example: { ...example.started, project: example.project },
        headers: ['Retry-After'],
      },
    ],
    schemas: { Operation },
    clientTypes: { Operation: null },
  };
}
