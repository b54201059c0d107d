/** What became of the request's effect: nothing was done, it was done, or it cannot be told. */
export type Outcome = 'not-applied' | 'applied' | 'unknown';

/** One kind of failure: what every door says about it, whoever found it. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** Whether the very same request may succeed later. */
  readonly retryable: boolean;
  readonly outcome: Outcome;
  /** For its page: why it happens and what to do about it. */
  readonly explanation: string;
}

/** Every problem Segue can answer with (RFC 9457). The key is the last part of its `type` and the failure's name everywhere. */
export const PROBLEMS = {
  'malformed-json': {
    status: 400,
    title: 'The body is not strict JSON',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'The body must be one JSON value in UTF-8 without a byte order mark, with no key twice in an object, nested at most 16 levels deep; if it is gzip, the stream must be whole. Correct the body and send it again.',
  },
  'invalid-project': {
    status: 400,
    title: 'The project breaks rules of the contract',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'Each entry of `errors` names one fault by JSON pointer, with what would be right. The first 100 faults are listed at once. Correct them all and send the project again.',
  },
  'invalid-parameter': {
    status: 400,
    title: 'A parameter has no usable value',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'A parameter of the query, or of a workflow task’s input, is missing, empty, repeated or ill-formed. Nothing was done, because a lost value must never widen a request. Each entry of `errors` says which parameter and what it takes.',
  },
  'unknown-parameter': {
    status: 400,
    title: 'The operation has no such query parameter',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'Names of parameters are exact. A misspelt one is refused, so that a misspelt `taskId` never deletes a whole project and a misspelt `validateOnly` never makes one.',
  },
  'unexpected-body': {
    status: 400,
    title: 'The operation takes no body',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'Send the request without a body. What it should do stands in its path and its query alone.',
  },
  'invalid-header': {
    status: 400,
    title: 'A header has no usable value',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      '`Idempotency-Key` takes 1 to 255 visible ASCII characters, quoted or bare. Headers that are no well-formed HTTP, or larger than the gateway takes, are answered so too.',
  },
  unauthenticated: {
    status: 401,
    title: 'The credentials are missing or wrong',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'Send `Authorization: Basic base64("<COMPANY_ID>:<API_KEY>")`, or `Authorization: Bearer <ACCESS_TOKEN>` with a token that has not expired. Which part was wrong is not said.',
  },
  'invalid-signature': {
    status: 401,
    title: 'The signature does not prove the sender',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'The webhook was not signed with a secret of its source, or its timestamp is outside the tolerance.',
  },
  'scope-missing': {
    status: 403,
    title: 'The key may not do this',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'The credentials are good, but their key lacks the scope of this operation. Ask for a key that has it.',
  },
  'project-not-found': {
    status: 404,
    title: 'There is no such project',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'The company has no project with this identifier: it never existed, belongs to another company, or was deleted.',
  },
  'task-not-found': {
    status: 404,
    title: 'The project has no such task',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'The project exists, but no task of it has this `taskId`. Nothing was deleted.',
  },
  'operation-not-found': {
    status: 404,
    title: 'There is no such operation',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'The company has no operation with this identifier, or it ended too long ago.',
  },
  'route-not-found': {
    status: 404,
    title: 'There is nothing at this path',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'The path belongs to no operation. Compare it with the API description.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not take this method',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'The `Allow` header lists the methods that this path takes.',
  },
  'not-acceptable': {
    status: 406,
    title: 'The answer cannot be given in an accepted form',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'The success answer is JSON, and a large one needs `Accept-Encoding: gzip`. Accept these, and send the request again; nothing was written.',
  },
  'custom-id-in-use': {
    status: 409,
    title: 'The custom id belongs to an existing project',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'A custom id names one existing project of a company. Use another one, or delete the project that has it.',
  },
  'request-in-progress': {
    status: 409,
    title: 'The first request with this key is still running',
    retryable: true,
    outcome: 'unknown',
    explanation: 'Wait as long as `Retry-After` says, then send the same request with the same key again.',
  },
  'project-deleted': {
    status: 410,
    title: 'The project was created with this key and has been deleted since',
    retryable: false,
    outcome: 'applied',
    explanation: 'A late retry never makes a deleted project again. Use a new key to create a new project.',
  },
  'too-large': {
    status: 413,
    title: 'The body is too large',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'A body is at most 4 MiB (4,194,304 bytes) of JSON after decoding. Split the content into projects.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has a type or coding that is not read here',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'Send `Content-Type: application/json` (or `application/*+json`), as it is or gzip-encoded.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The key was used for another request',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'A key stands for one request. Use a new key for other content; `startDateUtc` is not compared, `endDateUtc` is.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    outcome: 'not-applied',
    explanation:
      'Wait as long as `Retry-After` says. The usual plan is 50 requests a second a company, in bursts of 100.',
  },
  'team-without-translator': {
    status: 500,
    title: 'A team has a proofreader and no translator',
    retryable: false,
    outcome: 'not-applied',
    explanation:
      'The contract answers this rule with 500. It is not a fault of the server and must NOT be retried: nothing was written, and the same request fails for ever. Give the team a translator, or no proofreader.',
  },
  'internal-error': {
    status: 500,
    title: 'Segue failed',
    retryable: false,
    outcome: 'unknown',
    explanation:
      'A fault of Segue itself. Give its operator the request id in `instance`. Look at the project before sending the request again: it may have been carried out.',
  },
  'upstream-refused': {
    status: 502,
    title: 'The service behind Segue refused',
    retryable: false,
    outcome: 'not-applied',
    explanation: 'The request kept every rule of the contract, and the service refused it for a reason of its own.',
  },
  'upstream-invalid': {
    status: 502,
    title: 'The answer of the service behind Segue cannot be read',
    retryable: false,
    outcome: 'unknown',
    explanation: 'The service answered something else than the contract says. Read the project before asking again.',
  },
  'upstream-unavailable': {
    status: 503,
    title: 'The service behind Segue cannot be reached',
    retryable: true,
    outcome: 'not-applied',
    explanation: 'The request was not carried out. Send it again after the time in `Retry-After`.',
  },
  unavailable: {
    status: 503,
    title: 'Segue cannot work now',
    retryable: true,
    outcome: 'not-applied',
    explanation: 'The store or a secret cannot be reached. Nothing was written. Send the request again later.',
  },
  'outcome-unknown': {
    status: 504,
    title: 'It cannot be told yet whether the request was carried out',
    retryable: false,
    outcome: 'unknown',
    explanation:
      'The answer was lost on the way. Look the project up, by its custom id where it has one, before sending the request again.',
  },
} as const satisfies Record<string, ProblemEntry>;

/** The name of a failure: last part of the problem's `type`, and the `name` of the error that carries it. */
export type ProblemType = keyof typeof PROBLEMS;
