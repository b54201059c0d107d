/** The outcomes of a request: it had no effect, it took effect, or Segue does not know. */
export const OUTCOMES = ['not-applied', 'applied', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A problem type: one kind of failure, as clients see it over HTTP, in webhooks and in workflows. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly outcome: Outcome;
}

/** The properties of most problems: the request had no effect, and the same request fails again. */
const notApplied = { retryable: false, outcome: 'not-applied' } as const;
/** The properties of problems that may be gone later: the request had no effect. */
const later = { retryable: true, outcome: 'not-applied' } as const;
const unknown = { retryable: false, outcome: 'unknown' } as const;

/**
 * Every problem type of Segue (RFC 9457). The key is the last part of `type` in an answer, and the last part of the
 * error's name in a workflow.
 */
export const PROBLEMS = {
  'malformed-json': { status: 400, title: 'The body is not strict JSON', ...notApplied },
  'invalid-project': { status: 400, title: 'The project is invalid', ...notApplied },
  'invalid-translations': { status: 400, title: 'The translations are invalid', ...notApplied },
  'invalid-language-change': { status: 400, title: 'The change of the language is invalid', ...notApplied },
  'invalid-parameter': { status: 400, title: 'A parameter is invalid', ...notApplied },
  'unknown-parameter': { status: 400, title: 'The query parameter is unknown', ...notApplied },
  'unexpected-body': { status: 400, title: 'The request must have no body', ...notApplied },
  'invalid-header': { status: 400, title: 'A header is invalid', ...notApplied },
  'invalid-token-request': { status: 400, title: 'The token request is invalid', ...notApplied },
  'unsupported-grant-type': { status: 400, title: 'The grant type is not supported', ...notApplied },
  'invalid-scope': { status: 400, title: 'The requested scope is invalid', ...notApplied },
  unauthenticated: { status: 401, title: 'The credentials are missing or wrong', ...notApplied },
  'invalid-signature': { status: 401, title: 'The webhook signature is invalid', ...notApplied },
  'company-suspended': { status: 403, title: 'The company is suspended', ...notApplied },
  'scope-missing': { status: 403, title: 'The key lacks a scope', ...notApplied },
  'project-not-found': { status: 404, title: 'Project not found', ...notApplied },
  'task-not-found': { status: 404, title: 'Task not found', ...notApplied },
  'language-not-found': { status: 404, title: 'Target language not found', ...notApplied },
  'operation-not-found': { status: 404, title: 'Operation not found', ...notApplied },
  'source-not-found': { status: 404, title: 'Webhook source not found', ...notApplied },
  'company-not-found': { status: 404, title: 'Company not found', ...notApplied },
  'route-not-found': { status: 404, title: 'Path not found', ...notApplied },
  'method-not-allowed': { status: 405, title: 'Method not allowed', ...notApplied },
  'not-acceptable': { status: 406, title: 'No acceptable form of the answer', ...notApplied },
  'custom-id-in-use': { status: 409, title: 'The custom id is in use', ...notApplied },
  'revision-outdated': { status: 409, title: 'The project has a higher revision', ...notApplied },
  'translation-changed': { status: 409, title: 'A translation has changed', ...notApplied },
  'request-in-progress': {
    status: 409,
    title: 'An earlier request with this idempotency key or custom id is still running',
    retryable: true,
    outcome: 'unknown',
  },
  'project-deleted': {
    status: 410,
    title: 'The project of this idempotency key was deleted',
    ...notApplied,
    outcome: 'applied',
  },
  'events-expired': { status: 410, title: 'The event is no longer in the feed', ...notApplied },
  'page-outdated': { status: 410, title: 'The project changed after the previous page', ...notApplied },
  'plan-outdated': { status: 412, title: 'The request would not do what its plan shows', ...notApplied },
  'too-large': { status: 413, title: 'The body is too large', ...notApplied },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type or coding', ...notApplied },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key was used for another request', ...notApplied },
  'mapping-failed': { status: 422, title: 'The webhook mapping failed', ...notApplied },
  'fetch-failed': { status: 422, title: 'The fetch failed', ...notApplied },
  'rate-limited': { status: 429, title: 'Too many requests', ...later },
  'quota-exceeded': { status: 429, title: 'The company’s quota of the day is used up', ...later },
  'team-without-translator': { status: 500, title: 'A team has a proofreader but no translator', ...notApplied },
  'content-lost': { status: 500, title: 'The content of the project is lost', ...notApplied },
  'internal-error': { status: 500, title: 'Internal error', ...unknown },
  'not-supported': { status: 501, title: 'The service does not support the operation', ...notApplied },
  'upstream-refused': { status: 502, title: 'The upstream service rejected the request', ...notApplied },
  'upstream-invalid': { status: 502, title: 'The upstream service sent an invalid answer', ...unknown },
  'upstream-unavailable': { status: 503, title: 'The upstream service is unavailable', ...later },
  unavailable: { status: 503, title: 'Segue is unavailable', ...later },
  'outcome-unknown': { status: 504, title: 'The outcome is unknown', ...unknown },
} as const satisfies Record<string, ProblemEntry>;

/** The name of a problem type: the last part of `type` in an answer, and the `name` of a `Problem`. */
export type ProblemType = keyof typeof PROBLEMS;

/** Whether a text is a problem type. */
export function isProblemType(text: string): text is ProblemType {
  return Object.hasOwn(PROBLEMS, text);
}

/** The names of all problem types, in the order of `PROBLEMS`. */
export const PROBLEM_TYPES: readonly ProblemType[] = Object.keys(PROBLEMS).filter(isProblemType);

/**
 * The classes of failures. A workflow retries the first, checks the outcome of the second, and gives up at the third.
 */
const FAILURE_CLASSES = ['Retryable', 'Unknown', 'Terminal'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The name of a failure in a state machine, for the `ErrorEquals` of `Retry` and `Catch`. */
export type FailureName = `Segue.${FailureClass}.${ProblemType}`;

/** Returns the failure class of a problem type. */
export function failureClass(type: ProblemType): FailureClass {
  const { retryable, outcome } = PROBLEMS[type];
  return retryable ? 'Retryable' : outcome === 'unknown' ? 'Unknown' : 'Terminal';
}

/** Returns the name of a problem type in a state machine, for `ErrorEquals`. */
export function failureName(type: ProblemType): FailureName {
  return `Segue.${failureClass(type)}.${type}`;
}

type Entries = typeof PROBLEMS;
type TerminalEntry = { readonly retryable: false; readonly outcome: 'not-applied' | 'applied' };

/** The problem types whose outcome is known and which a retry cannot change. */
export type TerminalType = { [T in ProblemType]: Entries[T] extends TerminalEntry ? T : never }[ProblemType];

/** Whether a problem type is terminal: its outcome is known, and a retry cannot change it. */
export function isTerminal(type: ProblemType): type is TerminalType {
  return failureClass(type) === 'Terminal';
}
