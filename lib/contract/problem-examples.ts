import { RATE_LIMITED, UNAUTHENTICATED_DETAIL } from './gateway-responses.ts';
import { methodNotAllowed, type Occurrence } from './problem.ts';
import type { ProblemType } from './problems.ts';

const syntax = 'The body is not JSON.';
const key = 'Idempotency-Key takes 1 to 255 visible ASCII characters, quoted or bare, and is given once.';
const query = 'The request was refused because of its query, and nothing was done.';

/** One occurrence of each problem, for its page. */
export const EXAMPLES: Readonly<Record<ProblemType, Occurrence>> = {
  'malformed-json': { detail: syntax, errors: [{ pointer: '', code: 'syntax', detail: syntax }] },
  'invalid-project': {
    detail: 'The project breaks 2 rules of the contract, and nothing was written.',
    errors: [
      {
        pointer: '/targetLanguages/0/targetLanguageCode',
        code: 'unknown-language',
        detail: 'The catalogue has no language with this code. The nearest known codes are de, de-DE, de-AT.',
        allowed: ['de', 'de-DE', 'de-AT'],
      },
      { pointer: '/segments/2/content', code: 'empty', detail: 'The text must not be empty.' },
    ],
  },
  'invalid-parameter': {
    detail: query,
    errors: [{ pointer: '/query/limit', code: 'invalid-parameter', detail: 'limit takes an integer from 1 to 100.' }],
  },
  'unknown-parameter': {
    detail: query,
    errors: [
      {
        pointer: '/query/taskid',
        code: 'unknown-parameter',
        detail: 'This operation takes only taskId. Did you mean taskId?',
        allowed: ['taskId'],
      },
    ],
  },
  'unexpected-body': { detail: 'This operation takes no body, and nothing was done.' },
  'invalid-header': {
    detail: key,
    errors: [{ pointer: '/headers/idempotency-key', code: 'invalid-header', detail: key }],
  },
  unauthenticated: { detail: UNAUTHENTICATED_DETAIL },
  'invalid-signature': { detail: 'The signature does not prove who sent the request.' },
  'company-suspended': { detail: 'The company is suspended, and nothing was done.' },
  'scope-missing': { detail: 'The key lacks the scope delete.' },
  'project-not-found': {
    detail: 'The company has no project with this identifier.',
    deletedAtUtc: '2026-11-20T09:37:31.439Z',
  },
  'task-not-found': { detail: 'The project has no task with this id.' },
  'operation-not-found': { detail: 'The company has no operation with this identifier.' },
  'source-not-found': { detail: 'No source of webhooks has this name.' },
  'company-not-found': { detail: 'No company has this id, and nothing was done.' },
  'route-not-found': { detail: 'No operation has this path.' },
  'method-not-allowed': methodNotAllowed(['GET', 'HEAD', 'DELETE']),
  'not-acceptable': { detail: 'The answer is application/json: accept that.' },
  'custom-id-in-use': {
    detail: 'An existing project of the company has this custom id.',
    errors: [{ pointer: '/customId', code: 'in-use', detail: 'Use another custom id, or delete that project.' }],
  },
  'request-in-progress': { detail: 'Another request with this key is being worked on.', retryAfterSeconds: 2 },
  'project-deleted': {
    detail: 'The project that was created with this key has been deleted, and is not made again.',
    deletedAtUtc: '2026-11-20T09:37:31.439Z',
  },
  'too-large': { detail: 'The body has more than 4194304 bytes after decoding.' },
  'unsupported-media-type': { detail: 'The body must be application/json in UTF-8.' },
  'idempotency-key-reused': {
    detail: 'Another project was sent with this key. endDateUtc, unlike startDateUtc, is compared.',
    errors: [
      { pointer: '/name', code: 'not-the-same', detail: 'The first request with this key has another value here.' },
    ],
  },
  'mapping-failed': { detail: 'The mapping fails at line 3, column 21: expected `}`.' },
  'rate-limited': RATE_LIMITED,
  'team-without-translator': {
    detail: 'A team has a proofreader and no translator. Nothing was written; do not send this request again.',
    errors: [
      {
        pointer: '/targetLanguages/0/team',
        code: 'team-without-translator',
        detail: 'A team with a proofreader needs a translator: add one, or leave the proofreader out.',
      },
    ],
  },
  'internal-error': { detail: 'The request could not be handled. Its id tells the operator why.' },
  'upstream-refused': { detail: 'The service refused the request with status 422, for a reason of its own.' },
  'upstream-invalid': { detail: 'The service gave another project than it was asked for.' },
  'upstream-unavailable': { detail: 'The service takes no requests now.', retryAfterSeconds: 5 },
  unavailable: { detail: 'The store cannot be used now.', retryAfterSeconds: 5 },
  'outcome-unknown': {
    detail: 'The service may have carried out the request: its answer was lost or cannot be read.',
    operationId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  },
};
