/** What became of the request's effect: nothing was done, it was done, or it cannot be told. */
export const OUTCOMES = ['not-applied', 'applied', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One kind of failure: what every door says about it, whoever found it. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** Whether the very same request may succeed later. */
  readonly retryable: boolean;
  readonly outcome: Outcome;
}

/** Every problem Segue can answer with (RFC 9457). The key is the last part of its `type` and the failure's name everywhere. */
export const PROBLEMS = {
  'malformed-json': {
    status: 400,
    title: 'The body is not strict JSON',
    retryable: false,
    outcome: 'not-applied',
  },
  'invalid-project': {
    status: 400,
    title: 'The project breaks rules of the contract',
    retryable: false,
    outcome: 'not-applied',
  },
  'invalid-parameter': {
    status: 400,
    title: 'A parameter has no usable value',
    retryable: false,
    outcome: 'not-applied',
  },
  'unknown-parameter': {
    status: 400,
    title: 'The operation has no such query parameter',
    retryable: false,
    outcome: 'not-applied',
  },
  'unexpected-body': {
    status: 400,
    title: 'The operation takes no body',
    retryable: false,
    outcome: 'not-applied',
  },
  'invalid-header': {
    status: 400,
    title: 'A header has no usable value',
    retryable: false,
    outcome: 'not-applied',
  },
  unauthenticated: {
    status: 401,
    title: 'The credentials are missing or wrong',
    retryable: false,
    outcome: 'not-applied',
  },
  'invalid-signature': {
    status: 401,
    title: 'The signature does not prove the sender',
    retryable: false,
    outcome: 'not-applied',
  },
  'company-suspended': {
    status: 401,
    title: 'The company is suspended',
    retryable: false,
    outcome: 'not-applied',
  },
  'scope-missing': {
    status: 403,
    title: 'A scope is missing',
    retryable: false,
    outcome: 'not-applied',
  },
  'project-not-found': {
    status: 404,
    title: 'There is no such project',
    retryable: false,
    outcome: 'not-applied',
  },
  'task-not-found': {
    status: 404,
    title: 'The project has no such task',
    retryable: false,
    outcome: 'not-applied',
  },
  'operation-not-found': {
    status: 404,
    title: 'There is no such operation',
    retryable: false,
    outcome: 'not-applied',
  },
  'source-not-found': {
    status: 404,
    title: 'There is no such source of webhooks',
    retryable: false,
    outcome: 'not-applied',
  },
  'company-not-found': {
    status: 404,
    title: 'There is no such company',
    retryable: false,
    outcome: 'not-applied',
  },
  'route-not-found': {
    status: 404,
    title: 'There is nothing at this path',
    retryable: false,
    outcome: 'not-applied',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not take this method',
    retryable: false,
    outcome: 'not-applied',
  },
  'not-acceptable': {
    status: 406,
    title: 'The answer cannot be given in an accepted form',
    retryable: false,
    outcome: 'not-applied',
  },
  'custom-id-in-use': {
    status: 409,
    title: 'The custom id belongs to an existing project',
    retryable: false,
    outcome: 'not-applied',
  },
  'request-in-progress': {
    status: 409,
    title: 'The first request with this key is still running',
    retryable: true,
    outcome: 'unknown',
  },
  'project-deleted': {
    status: 410,
    title: 'The project was created with this key and has been deleted since',
    retryable: false,
    outcome: 'applied',
  },
  'too-large': {
    status: 413,
    title: 'The body is too large',
    retryable: false,
    outcome: 'not-applied',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has a type or coding that is not read here',
    retryable: false,
    outcome: 'not-applied',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The key was used for another request',
    retryable: false,
    outcome: 'not-applied',
  },
  'mapping-failed': {
    status: 422,
    title: 'The mapping of a webhook makes no command',
    retryable: false,
    outcome: 'not-applied',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    outcome: 'not-applied',
  },
  'team-without-translator': {
    status: 500,
    title: 'A team has a proofreader and no translator',
    retryable: false,
    outcome: 'not-applied',
  },
  'internal-error': {
    status: 500,
    title: 'Segue failed',
    retryable: false,
    outcome: 'unknown',
  },
  'upstream-refused': {
    status: 502,
    title: 'The service behind Segue refused',
    retryable: false,
    outcome: 'not-applied',
  },
  'upstream-invalid': {
    status: 502,
    title: 'The answer of the service behind Segue cannot be read',
    retryable: false,
    outcome: 'unknown',
  },
  'upstream-unavailable': {
    status: 503,
    title: 'The service behind Segue cannot be reached',
    retryable: true,
    outcome: 'not-applied',
  },
  unavailable: {
    status: 503,
    title: 'Segue cannot work now',
    retryable: true,
    outcome: 'not-applied',
  },
  'outcome-unknown': {
    status: 504,
    title: 'It cannot be told yet whether the request was carried out',
    retryable: false,
    outcome: 'unknown',
  },
} as const satisfies Record<string, ProblemEntry>;

/** The name of a failure: last part of the problem's `type`, and the `name` of the error that carries it. */
export type ProblemType = keyof typeof PROBLEMS;

/** Whether a text is the name of a problem. */
export function isProblemType(text: string): text is ProblemType {
  return Object.hasOwn(PROBLEMS, text);
}

/** Every problem's name, in the order of the catalogue. */
export const PROBLEM_TYPES: readonly ProblemType[] = Object.keys(PROBLEMS).filter(isProblemType);
