/** Whether the request took effect: it did not, it did, or Segue does not know. */
export const OUTCOMES = ['not-applied', 'applied', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One kind of failure, with what every door answers for it. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly outcome: Outcome;
}

/** Every problem of Segue (RFC 9457). The key is the last part of its `type`, and the error's name at every door. */
export const PROBLEMS = {
  'malformed-json': {
    status: 400,
    title: 'The body is not strict JSON',
    retryable: false,
    outcome: 'not-applied',
  },
  'invalid-project': {
    status: 400,
    title: 'The project is invalid',
    retryable: false,
    outcome: 'not-applied',
  },
  'invalid-parameter': {
    status: 400,
    title: 'A parameter is invalid',
    retryable: false,
    outcome: 'not-applied',
  },
  'unknown-parameter': {
    status: 400,
    title: 'The query parameter is unknown',
    retryable: false,
    outcome: 'not-applied',
  },
  'unexpected-body': {
    status: 400,
    title: 'This operation accepts no body',
    retryable: false,
    outcome: 'not-applied',
  },
  'invalid-header': {
    status: 400,
    title: 'A header is invalid',
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
    title: 'The webhook signature is invalid',
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
    title: 'The key lacks a scope',
    retryable: false,
    outcome: 'not-applied',
  },
  'project-not-found': {
    status: 404,
    title: 'Project not found',
    retryable: false,
    outcome: 'not-applied',
  },
  'task-not-found': {
    status: 404,
    title: 'Task not found',
    retryable: false,
    outcome: 'not-applied',
  },
  'operation-not-found': {
    status: 404,
    title: 'Operation not found',
    retryable: false,
    outcome: 'not-applied',
  },
  'source-not-found': {
    status: 404,
    title: 'Webhook source not found',
    retryable: false,
    outcome: 'not-applied',
  },
  'company-not-found': {
    status: 404,
    title: 'Company not found',
    retryable: false,
    outcome: 'not-applied',
  },
  'route-not-found': {
    status: 404,
    title: 'Path not found',
    retryable: false,
    outcome: 'not-applied',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    retryable: false,
    outcome: 'not-applied',
  },
  'not-acceptable': {
    status: 406,
    title: 'No acceptable form of the answer',
    retryable: false,
    outcome: 'not-applied',
  },
  'custom-id-in-use': {
    status: 409,
    title: 'The custom id is in use',
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
    title: 'The project created with this key was deleted',
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
    title: 'Unsupported media type or coding',
    retryable: false,
    outcome: 'not-applied',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The idempotency key was used for another request',
    retryable: false,
    outcome: 'not-applied',
  },
  'mapping-failed': {
    status: 422,
    title: 'The webhook mapping failed',
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
    title: 'A team has a proofreader but no translator',
    retryable: false,
    outcome: 'not-applied',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    retryable: false,
    outcome: 'unknown',
  },
  'upstream-refused': {
    status: 502,
    title: 'The upstream service rejected the request',
    retryable: false,
    outcome: 'not-applied',
  },
  'upstream-invalid': {
    status: 502,
    title: 'The upstream service sent an invalid answer',
    retryable: false,
    outcome: 'unknown',
  },
  'upstream-unavailable': {
    status: 503,
    title: 'The upstream service is unavailable',
    retryable: true,
    outcome: 'not-applied',
  },
  unavailable: {
    status: 503,
    title: 'Segue is unavailable',
    retryable: true,
    outcome: 'not-applied',
  },
  'outcome-unknown': {
    status: 504,
    title: 'The outcome is unknown',
    retryable: false,
    outcome: 'unknown',
  },
} as const satisfies Record<string, ProblemEntry>;

/** The last part of a problem's `type`, and the `name` of the error that carries it. */
export type ProblemType = keyof typeof PROBLEMS;

/** Whether a text is a problem type. */
export function isProblemType(text: string): text is ProblemType {
  return Object.hasOwn(PROBLEMS, text);
}

/** Every problem type, in the order of the catalogue. */
export const PROBLEM_TYPES: readonly ProblemType[] = Object.keys(PROBLEMS).filter(isProblemType);

/** What a workflow should do about a failure: try again, find out what happened, or give up. */
export const FAILURE_CLASSES = ['Retryable', 'Unknown', 'Terminal'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** A failure's name in a state machine, for `Retry` and `Catch`. */
export type FailureName = `Segue.${FailureClass}.${ProblemType}`;

/** The class of a problem. */
export function failureClass(type: ProblemType): FailureClass {
  const { retryable, outcome } = PROBLEMS[type];
  return retryable ? 'Retryable' : outcome === 'unknown' ? 'Unknown' : 'Terminal';
}

/** The name that a problem has in `ErrorEquals`. */
export function failureName(type: ProblemType): FailureName {
  return `Segue.${failureClass(type)}.${type}`;
}

type Entries = typeof PROBLEMS;
type TerminalEntry = { readonly retryable: false; readonly outcome: 'not-applied' | 'applied' };

/** The problems that the same input ends in again, and of which it is known what became of it. */
export type TerminalType = { [T in ProblemType]: Entries[T] extends TerminalEntry ? T : never }[ProblemType];

/** Whether a problem is terminal. */
export function isTerminal(type: ProblemType): type is TerminalType {
  return failureClass(type) === 'Terminal';
}
