import { LIMITS } from './limits.ts';
import type { ParameterName } from './parameters.ts';
import type { ProblemType } from './problems.ts';

/** What a company key may be allowed to do. */
export const SCOPES = ['create', 'read', 'delete'] as const;
export type Scope = (typeof SCOPES)[number];

/** A type that the body of a success can have. */
export type MediaType = 'application/json' | 'text/html';

/** How large a body may be, in bytes. A larger one is 413 `too-large`. */
export interface BodyLimits {
  /** After decoding. */
  readonly mostBytes: number;
  /** As sent, and so before anything is unpacked or parsed; without it, as much as the gateway takes. */
  readonly mostSentBytes?: number;
}

export type BodyKind = 'project' | 'credentials' | 'refresh-token' | 'message' | 'none';

const SIGN_IN: BodyLimits = { mostBytes: LIMITS.signInBytes, mostSentBytes: LIMITS.signInBytes };

/** The limits of each kind of body. The local gateway, the functions and the API description read these. */
export const BODY_LIMITS: Readonly<Record<BodyKind, BodyLimits>> = {
  project: { mostBytes: LIMITS.bodyBytes },
  credentials: SIGN_IN,
  'refresh-token': SIGN_IN,
  message: { mostBytes: LIMITS.webhookBytes, mostSentBytes: LIMITS.webhookBytes },
  none: { mostBytes: 0, mostSentBytes: 0 },
};

/** The functions that serve operations, each a file of `functions/` with the privileges that its operations share. */
export const HTTP_FUNCTIONS = ['changeProjects', 'readProjects', 'tokens', 'receiveWebhook', 'pages'] as const;
export type HttpFunctionName = (typeof HTTP_FUNCTIONS)[number];

/** One operation over HTTP. Gateway, stack, API description and tests are made from this table. */
export interface Route {
  readonly id: string;
  /** The function that serves it. */
  readonly function: HttpFunctionName;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base URL; `{name}` is exactly one path segment. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** The scope a key needs; `null` where no credentials are asked for by the gateway. */
  readonly scope: Scope | null;
  readonly query: readonly ParameterName[];
  readonly body: BodyKind;
  /** Success statuses, the usual one first. */
  readonly success: readonly number[];
  /** The types that a success can have, first the one for a client that wants none more; JSON alone unless said. */
  readonly produces?: readonly MediaType[];
  /** What this operation may answer beside the problems that every operation may. */
  readonly problems: readonly ProblemType[];
}

/** What any operation may answer. */
export const COMMON_PROBLEMS = [
  'invalid-parameter',
  'unknown-parameter',
  'not-acceptable',
  'rate-limited',
  'internal-error',
  'unavailable',
] as const satisfies readonly ProblemType[];

/** What an operation that asks for credentials may also answer. */
export const CREDENTIAL_PROBLEMS = ['unauthenticated', 'scope-missing'] as const satisfies readonly ProblemType[];

const READ_UPSTREAM = ['upstream-refused', 'upstream-invalid', 'upstream-unavailable'] as const;
const CHANGED_UPSTREAM = [...READ_UPSTREAM, 'outcome-unknown'] as const;
/** What a request with an idempotency key may be told beside. */
const WITH_KEY = ['invalid-header', 'request-in-progress', 'idempotency-key-reused'] as const;
const BODY = ['malformed-json', 'unsupported-media-type', 'too-large'] as const;
const NOT_FOUND = ['project-not-found', 'task-not-found', 'unexpected-body'] as const;

const read = { method: 'GET', scope: 'read', body: 'none', success: [200] } as const;
const remove = {
  method: 'DELETE',
  scope: 'delete',
  query: ['taskId'],
  body: 'none',
  success: [204, 200, 202],
} as const;

export const ROUTES = [
  {
    id: 'createProject',
    function: 'changeProjects',
    method: 'POST',
    path: '/segments/projects',
    summary: 'Create a project, or with `validateOnly=true` check it without creating',
    scope: 'create',
    query: ['validateOnly'],
    body: 'project',
    success: [201, 200, 202],
    problems: [
      ...BODY,
      'invalid-project',
      'team-without-translator',
      'custom-id-in-use',
      ...WITH_KEY,
      'project-deleted',
      ...CHANGED_UPSTREAM,
    ],
  },
  {
    ...read,
    id: 'listProjects',
    function: 'readProjects',
    path: '/segments/projects',
    summary: 'List the projects of the company, newest first, without their segments',
    query: ['limit', 'cursor'],
    problems: ['unexpected-body', ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getProject',
    function: 'readProjects',
    path: '/segments/projects/{id}',
    summary: 'Get a project, or with `taskId` the project with that task’s segments only',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getProjectByCustomId',
    function: 'readProjects',
    path: '/segments/projects/custom/{customId}',
    summary: 'Get a project by the custom id given at creation',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...remove,
    id: 'deleteProject',
    function: 'changeProjects',
    path: '/segments/projects/{id}',
    summary: 'Delete a project for ever, or with `taskId` one task of it',
    problems: [...NOT_FOUND, ...WITH_KEY, 'project-deleted', ...CHANGED_UPSTREAM],
  },
  {
    ...remove,
    id: 'deleteProjectByCustomId',
    function: 'changeProjects',
    path: '/segments/projects/custom/{customId}',
    summary: 'Delete a project for ever by its custom id, or with `taskId` one task of it',
    problems: [...NOT_FOUND, ...WITH_KEY, 'project-deleted', ...CHANGED_UPSTREAM],
  },
  {
    ...read,
    id: 'getOperation',
    function: 'readProjects',
    path: '/operations/{operationId}',
    summary: 'Tell what became of a creation or deletion that was not waited for, or whose answer was lost',
    query: [],
    problems: ['operation-not-found', 'unexpected-body', ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'listLanguages',
    function: 'pages',
    path: '/integrations/languages',
    summary: 'List the languages with their ids and codes',
    query: [],
    problems: ['unexpected-body'],
  },
  {
    id: 'obtainToken',
    function: 'tokens',
    method: 'POST',
    path: '/authentication/token',
    summary: 'Obtain an access token and a refresh token for a company id and an API key',
    scope: null,
    query: [],
    body: 'credentials',
    success: [200],
    problems: [...BODY, 'unauthenticated'],
  },
  {
    id: 'refreshToken',
    function: 'tokens',
    method: 'POST',
    path: '/authentication/RefreshToken',
    summary: 'Obtain the next pair of tokens for a refresh token, which works once',
    scope: null,
    query: [],
    body: 'refresh-token',
    success: [200],
    problems: [...BODY, 'unauthenticated', ...WITH_KEY, 'outcome-unknown'],
  },
  {
    id: 'receiveWebhook',
    function: 'receiveWebhook',
    method: 'POST',
    path: '/webhooks/{source}',
    summary: 'Take in a signed message of a source, to be worked on later',
    scope: null,
    query: [],
    body: 'message',
    success: [202],
    problems: [
      'too-large',
      'source-not-found',
      'invalid-signature',
      'company-suspended',
      'idempotency-key-reused',
      'outcome-unknown',
    ],
  },
  {
    id: 'health',
    function: 'pages',
    method: 'GET',
    path: '/health',
    summary: 'Tell that the API answers',
    scope: null,
    query: [],
    body: 'none',
    success: [200],
    problems: ['unexpected-body'],
  },
  {
    id: 'getProblemType',
    function: 'pages',
    method: 'GET',
    path: '/problems/{type}',
    summary: 'Tell what a problem means and what to do about it, as a page or as JSON',
    scope: null,
    query: [],
    body: 'none',
    success: [200],
    produces: ['text/html', 'application/json'],
    problems: ['route-not-found', 'unexpected-body'],
  },
  {
    id: 'getDescription',
    function: 'pages',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Describe this API in OpenAPI 3.1',
    scope: null,
    query: [],
    body: 'none',
    success: [200],
    problems: ['unexpected-body'],
  },
  {
    id: 'getReference',
    function: 'pages',
    method: 'GET',
    path: '/docs',
    summary: 'Show the description of this API as a page',
    scope: null,
    query: [],
    body: 'none',
    success: [200],
    produces: ['text/html'],
    problems: ['unexpected-body'],
  },
] as const satisfies readonly Route[];

export type OperationId = (typeof ROUTES)[number]['id'];
/** The operations that a function serves. */
export type OperationsOf<Name extends HttpFunctionName> = Extract<(typeof ROUTES)[number], { function: Name }>['id'];

/** The methods that a route answers: HEAD wherever GET is, with the same headers and no body (RFC 9110). */
export function servedMethods({ method }: Pick<Route, 'method'>): readonly (Route['method'] | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** The route of an operation. */
export function routeOf<Id extends OperationId>(id: Id): Extract<(typeof ROUTES)[number], { id: Id }> {
  for (const route of ROUTES) if (isRoute(route, id)) return route;
  throw new RangeError(`There is no operation ${id}`);
}

function isRoute<Id extends OperationId>(
  route: (typeof ROUTES)[number],
  id: Id,
): route is Extract<(typeof ROUTES)[number], { id: Id }> {
  return route.id === id;
}
