import { LIMITS } from './limits.ts';
import type { ParameterName } from './parameters.ts';
import type { ProblemType } from './problems.ts';

/** The scopes: the permissions that an API key or a webhook source can have. */
export const SCOPES = ['create', 'read', 'delete', 'translate', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Reads a list of scopes that are separated by spaces. Other words are left out. */
export function scopesIn(text: string): readonly Scope[] {
  const words = text.split(' ');
  return SCOPES.filter((scope) => words.includes(scope));
}

/** The scopes of a key that is added without a list of scopes. */
export const DEFAULT_SCOPES = ['create', 'read', 'delete'] as const satisfies readonly Scope[];

/** A media type that an operation can return. */
export type MediaType = 'application/json' | 'text/html' | 'text/plain' | 'text/javascript' | 'text/css';

/** The size limits of a body in bytes. A larger body is answered with 413 `too-large`. */
export interface BodyLimits {
  /** The limit after decoding. */
  readonly maxBytes: number;
  /** The limit before decoding, as the client sends the body. The default is the limit of the gateway. */
  readonly maxSentBytes?: number;
}

/** The kinds of request bodies. */
export type BodyKind =
  | 'project'
  | 'translations'
  | 'language-change'
  | 'credentials'
  | 'client-credentials'
  | 'refresh-token'
  | 'message'
  | 'none';

const SIGN_IN: BodyLimits = { maxBytes: LIMITS.signInBytes, maxSentBytes: LIMITS.signInBytes };

/** The limits of each kind of body. The local gateway, the Lambda functions and the API description read these. */
export const BODY_LIMITS: Readonly<Record<BodyKind, BodyLimits>> = {
  project: { maxBytes: LIMITS.bodyBytes },
  translations: { maxBytes: LIMITS.bodyBytes },
  'language-change': { maxBytes: LIMITS.bodyBytes },
  credentials: SIGN_IN,
  'client-credentials': SIGN_IN,
  'refresh-token': SIGN_IN,
  message: { maxBytes: LIMITS.webhookBytes, maxSentBytes: LIMITS.webhookBytes },
  none: { maxBytes: 0, maxSentBytes: 0 },
};

/**
 * The Lambda functions that serve HTTP operations. Each is a file of `functions/`. All operations of a Lambda function
 * share its IAM permissions.
 */
export const HTTP_FUNCTIONS = [
  'changeProjects',
  'changeTranslations',
  'readProjects',
  'events',
  'tokens',
  'receiveWebhook',
  'pages',
] as const;
export type HttpFunctionName = (typeof HTTP_FUNCTIONS)[number];

/** One HTTP operation. The gateway, the stack, the API description and the tests read these entries. */
export interface Route {
  readonly id: string;
  /** The Lambda function that serves the operation. */
  readonly function: HttpFunctionName;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path after the base URL. `{name}` stands for exactly one path segment. */
  readonly path: `/${string}`;
  /** What the operation does, in fewer than 60 characters. Longer explanations are in `scripts/docs/openapi/operations.ts`. */
  readonly summary: string;
  /** The required scope; `null` if the gateway requires no credentials. */
  readonly scope: Scope | null;
  readonly query: readonly ParameterName[];
  readonly body: BodyKind;
  /** The HTTP statuses of a success, the usual one first. */
  readonly success: readonly number[];
  /** The media types that the operation can return, the default first. Without this field, it returns JSON only. */
  readonly produces?: readonly MediaType[];
  /** The problems of the operation, except `COMMON_PROBLEMS` and `CREDENTIAL_PROBLEMS`. */
  readonly problems: readonly ProblemType[];
  /** The form of the errors that the function answers with, if they are no problems: `oauth` is that of RFC 6749. */
  readonly errorForm?: 'oauth';
}

/** The problems that every operation can answer with. */
export const COMMON_PROBLEMS = [
  'invalid-parameter',
  'unknown-parameter',
  'not-acceptable',
  'rate-limited',
  'internal-error',
  'unavailable',
] as const satisfies readonly ProblemType[];

/** The problems that every operation with credentials can answer with, in addition to `COMMON_PROBLEMS`. */
export const CREDENTIAL_PROBLEMS = [
  'unauthenticated',
  'company-suspended',
  'scope-missing',
] as const satisfies readonly ProblemType[];

const READ_UPSTREAM = ['upstream-refused', 'upstream-invalid', 'upstream-unavailable'] as const;
const CHANGED_UPSTREAM = [...READ_UPSTREAM, 'outcome-unknown'] as const;
/** The problems of every operation that accepts an idempotency key. */
const WITH_KEY = ['invalid-header', 'request-in-progress', 'idempotency-key-reused'] as const;
const BODY = ['malformed-json', 'unsupported-media-type', 'too-large'] as const;
const NOT_FOUND = ['project-not-found', 'task-not-found', 'unexpected-body', 'content-lost'] as const;
/** The parameters of every operation that lists segments. */
const SEGMENTS_QUERY = ['status', 'taskId', 'languageCode', 'segmentLimit', 'segmentCursor'] as const;

const read = { method: 'GET', scope: 'read', body: 'none', success: [200] } as const;
const remove = {
  method: 'DELETE',
  scope: 'delete',
  query: ['taskId'],
  body: 'none',
  success: [204, 200, 202],
} as const;
/** A change of a project's translations or languages. */
const change = {
  function: 'changeTranslations',
  method: 'PATCH',
  scope: 'translate',
  query: [],
  success: [200],
} as const;
const CHANGE_PROBLEMS = [
  ...BODY,
  'project-not-found',
  ...WITH_KEY,
  'project-deleted',
  'content-lost',
  'not-supported',
  'outcome-unknown',
] as const;
const writeTranslations = {
  ...change,
  body: 'translations',
  problems: [...CHANGE_PROBLEMS, 'invalid-translations', 'translation-changed'],
} as const;
const changeLanguage = {
  ...change,
  body: 'language-change',
  problems: [...CHANGE_PROBLEMS, 'invalid-language-change', 'language-not-found'],
} as const;

const signIn = { function: 'tokens', method: 'POST', scope: null, query: [], success: [200] } as const;
const publicPage = {
  function: 'pages',
  method: 'GET',
  scope: null,
  query: [],
  body: 'none',
  success: [200],
  problems: ['unexpected-body'],
} as const;

/** Every HTTP operation of Segue. */
export const ROUTES = [
  {
    id: 'createProject',
    function: 'changeProjects',
    method: 'POST',
    path: '/segments/projects',
    summary: 'Create a project',
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
    summary: 'List projects',
    query: ['limit', 'cursor', 'state', 'customIdPrefix', 'createdAfter', 'dueBefore', 'done'],
    problems: ['unexpected-body', ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getProject',
    function: 'readProjects',
    path: '/segments/projects/{id}',
    summary: 'Get a project',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getProjectByCustomId',
    function: 'readProjects',
    path: '/segments/projects/custom/{customId}',
    summary: 'Get a project by its custom id',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getSegments',
    function: 'readProjects',
    path: '/segments/projects/{id}/segments',
    summary: 'Get the segments of a project with translations',
    query: SEGMENTS_QUERY,
    problems: [...NOT_FOUND, 'page-outdated', ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getSegmentsByCustomId',
    function: 'readProjects',
    path: '/segments/projects/custom/{customId}/segments',
    summary: 'Get segments with translations by custom id',
    query: SEGMENTS_QUERY,
    problems: [...NOT_FOUND, 'page-outdated', ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getProgress',
    function: 'readProjects',
    path: '/segments/projects/{id}/progress',
    summary: 'Get the progress of a project',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'getProgressByCustomId',
    function: 'readProjects',
    path: '/segments/projects/custom/{customId}/progress',
    summary: 'Get the progress of a project by its custom id',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'planDeletion',
    function: 'readProjects',
    path: '/segments/projects/{id}/deletion',
    summary: 'Plan a deletion',
    scope: 'delete',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'planDeletionByCustomId',
    function: 'readProjects',
    path: '/segments/projects/custom/{customId}/deletion',
    summary: 'Plan a deletion by custom id',
    scope: 'delete',
    query: ['taskId'],
    problems: [...NOT_FOUND, ...READ_UPSTREAM],
  },
  {
    ...remove,
    id: 'deleteProject',
    function: 'changeProjects',
    path: '/segments/projects/{id}',
    summary: 'Delete a project or a task',
    problems: [...NOT_FOUND, 'plan-outdated', ...WITH_KEY, 'project-deleted', ...CHANGED_UPSTREAM],
  },
  {
    ...remove,
    id: 'deleteProjectByCustomId',
    function: 'changeProjects',
    path: '/segments/projects/custom/{customId}',
    summary: 'Delete a project or a task by custom id',
    problems: [...NOT_FOUND, 'plan-outdated', ...WITH_KEY, 'project-deleted', ...CHANGED_UPSTREAM],
  },
  {
    ...writeTranslations,
    id: 'writeTranslations',
    path: '/segments/projects/{id}/translations',
    summary: 'Write translations of a project',
  },
  {
    ...writeTranslations,
    id: 'writeTranslationsByCustomId',
    path: '/segments/projects/custom/{customId}/translations',
    summary: 'Write translations of a project by its custom id',
  },
  {
    ...changeLanguage,
    id: 'changeLanguage',
    path: '/segments/projects/{id}/languages/{languageCode}',
    summary: 'Start or stop the work on a target language',
  },
  {
    ...changeLanguage,
    id: 'changeLanguageByCustomId',
    path: '/segments/projects/custom/{customId}/languages/{languageCode}',
    summary: 'Start or stop the work on a language by custom id',
  },
  {
    ...read,
    id: 'getOperation',
    function: 'readProjects',
    path: '/operations/{operationId}',
    summary: 'Get the state of an operation',
    query: [],
    problems: ['operation-not-found', 'unexpected-body', 'content-lost', ...READ_UPSTREAM],
  },
  {
    ...read,
    id: 'listEvents',
    function: 'events',
    path: '/events',
    summary: 'List events',
    query: ['after', 'eventLimit'],
    problems: ['events-expired', 'unexpected-body'],
  },
  {
    id: 'createEventSecret',
    function: 'events',
    method: 'POST',
    path: '/events/secret',
    summary: 'Create the next event secret',
    scope: 'manage',
    query: [],
    body: 'none',
    success: [201],
    problems: ['unexpected-body', 'outcome-unknown'],
  },
  {
    ...read,
    id: 'listLanguages',
    function: 'pages',
    path: '/integrations/languages',
    summary: 'List languages',
    query: [],
    problems: ['unexpected-body'],
  },
  {
    ...signIn,
    id: 'obtainToken',
    path: '/authentication/token',
    summary: 'Obtain an access token',
    body: 'credentials',
    problems: [...BODY, 'unauthenticated', 'company-suspended'],
  },
  {
    ...signIn,
    id: 'refreshToken',
    path: '/authentication/RefreshToken',
    summary: 'Refresh an access token',
    body: 'refresh-token',
    problems: [...BODY, 'unauthenticated', 'company-suspended', ...WITH_KEY, 'outcome-unknown'],
  },
  {
    ...signIn,
    id: 'obtainOAuthToken',
    path: '/oauth/token',
    summary: 'Obtain an access token with OAuth 2.0',
    body: 'client-credentials',
    problems: [
      'invalid-token-request',
      'unsupported-grant-type',
      'invalid-scope',
      'unsupported-media-type',
      'too-large',
      'unauthenticated',
      'company-suspended',
    ],
    errorForm: 'oauth',
  },
  {
    id: 'receiveWebhook',
    function: 'receiveWebhook',
    method: 'POST',
    path: '/webhooks/{source}',
    summary: 'Receive a webhook message',
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
  { ...publicPage, id: 'health', path: '/health', summary: 'Check that the API answers' },
  {
    ...publicPage,
    id: 'listProblemTypes',
    path: '/problems',
    summary: 'List the problem types',
    produces: ['text/html'],
  },
  {
    ...publicPage,
    id: 'getProblemType',
    path: '/problems/{type}',
    summary: 'Explain a problem type',
    produces: ['text/html', 'application/json'],
    problems: ['route-not-found', 'unexpected-body'],
  },
  { ...publicPage, id: 'getDescription', path: '/openapi.json', summary: 'Describe this API in OpenAPI 3.1' },
  {
    ...publicPage,
    id: 'getReference',
    path: '/docs',
    summary: 'Show the reference page',
    produces: ['text/html'],
  },
  {
    ...publicPage,
    id: 'getReferenceFile',
    path: '/docs/{file}',
    summary: 'Get a file of the reference page',
    produces: ['text/javascript'],
    problems: ['route-not-found', 'unexpected-body'],
  },
  {
    ...publicPage,
    id: 'getSecurityText',
    path: '/.well-known/security.txt',
    summary: 'Show where to report vulnerabilities',
    produces: ['text/plain'],
    problems: ['route-not-found', 'unexpected-body'],
  },
] as const satisfies readonly Route[];

export type OperationId = (typeof ROUTES)[number]['id'];
/** The ids of the operations that a Lambda function serves. */
export type OperationsOf<Name extends HttpFunctionName> = Extract<(typeof ROUTES)[number], { function: Name }>['id'];

/**
 * Returns the methods that a route answers. A GET route also answers HEAD, with the headers of GET and no body (RFC
 * 9110).
 */
export function servedMethods({ method }: Pick<Route, 'method'>): readonly (Route['method'] | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Returns the route of an operation. */
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
