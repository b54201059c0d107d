import { LIMITS } from './limits.ts';
import type { ParameterName } from './parameters.ts';
import type { ProblemType } from './problems.ts';

/** The scopes: the permissions that an API key or a webhook source can have. */
export const SCOPES = ['create', 'read', 'update', 'delete', 'translate', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Reads a list of scopes that are separated by spaces. Other words are left out. */
export function scopesIn(text: string): readonly Scope[] {
  const words = text.split(' ');
  return SCOPES.filter((scope) => words.includes(scope));
}

/** The scopes of a key that is added without a list of scopes. */
export const DEFAULT_SCOPES = ['create', 'read', 'update', 'delete'] as const satisfies readonly Scope[];

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
  | 'agent-message'
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
  'agent-message': { maxBytes: LIMITS.bodyBytes },
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
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path after the base URL. `{name}` stands for exactly one path segment. */
  readonly path: `/${string}`;
  /** What the operation does, in fewer than 60 characters. Longer explanations are in the documentation of the operation. */
  readonly summary: string;
  /** The required scope; of several, one is enough. `null` if the gateway requires no credentials. */
  readonly scope: Scope | readonly Scope[] | null;
  readonly query: readonly ParameterName[];
  /** Whether the operation itself checks the query. Then no check of the route applies to it. */
  readonly checksQuery?: true;
  readonly body: BodyKind;
  /** The media types that the operation can return, the default first. Without this field, it returns JSON only. */
  readonly produces?: readonly MediaType[];
  /** The problems of the operation, except `COMMON_PROBLEMS` and `CREDENTIAL_PROBLEMS`. */
  readonly problems: readonly ProblemType[];
  /** The form of the errors that the function answers with, if they are no problems: `oauth` is that of RFC 6749. */
  readonly errorForm?: 'oauth';
}

/** A read that everybody may make. */
export const PUBLIC_READ = {
  method: 'GET',
  scope: null,
  query: [],
  body: 'none',
  problems: ['unexpected-body'],
} as const;

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

/** Returns the scopes of a route, of which a caller needs one; none if the gateway requires no credentials. */
export function scopesOf({ scope }: Pick<Route, 'scope'>): readonly Scope[] {
  return typeof scope === 'string' ? [scope] : (scope ?? []);
}

/**
 * Returns the methods that a route answers. A GET route also answers HEAD, with the headers of GET and no body (RFC
 * 9110).
 */
export function servedMethods({ method }: Pick<Route, 'method'>): readonly (Route['method'] | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
