import { PROBLEMS_BEYOND_HTTP } from './command-problems.ts';
import {
  GATEWAY_RESPONSES,
  MANAGED_FIREWALL_RESPONSE,
  NO_SUCH_PATH,
  RATE_LIMITED,
  unauthenticatedDetail,
} from './gateway-responses.ts';
import { type OAuthErrorBody, oauthErrorBody } from './oauth.ts';
import { methodNotAllowed, type Occurrence, type ProblemBody, problemBody, projectNotFound } from './problem.ts';
import { EXPLANATIONS, type Explanation } from './problem-explanations.data.ts';
import { type Outcome, PROBLEMS, type ProblemEntry, type ProblemType, SUSPENDED_DETAIL } from './problems.ts';
import { COMMON_PROBLEMS, CREDENTIAL_PROBLEMS, type Route } from './routes.ts';

/** The content of the page of a problem type. All texts are for people; backticks mark code. */
export interface ProblemPage extends Explanation {
  readonly type: ProblemType;
  /** The URI of the problem type, which answers have in `type`. */
  readonly uri: string;
  readonly title: string;
  readonly status: number;
  /** A text that says whether a retry can succeed. */
  readonly retry: string;
  /** A text that says whether the request took effect. */
  readonly outcome: string;
  /** The operations and other senders of commands that can get the problem, as texts. */
  readonly answeredBy: readonly string[];
  readonly example: ProblemBody | OAuthErrorBody;
}

const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  'not-applied': '`not-applied`: the request had no effect',
  applied: '`applied`: the request took effect',
  unknown: '`unknown`: Segue does not know',
};

/** The request id in all examples, in the format of API Gateway. */
const EXAMPLE_INSTANCE = '5e3a5c0e-7a53-4f4f-8b39-3c5f0f5a8d0e';

/**
 * Builds the page of a problem type.
 * @param problemsUrl the URL of the problem pages
 * @param routes the routes of all operations
 */
export function problemPage(type: ProblemType, problemsUrl: string, routes: readonly Route[]): ProblemPage {
  const entry = PROBLEMS[type];
  const problem = problemBody(type, EXAMPLES[type], problemsUrl, EXAMPLE_INSTANCE);
  return {
    type,
    uri: problem.type,
    title: entry.title,
    status: entry.status,
    retry: retryOf(entry),
    outcome: OUTCOME_TEXTS[entry.outcome],
    ...EXPLANATIONS[type],
    answeredBy: answeredBy(type, routes),
    example: isOnlyOfOAuth(type, routes) ? oauthErrorBody(type, EXAMPLES[type], problemsUrl) : problem,
  };
}

function retryOf({ retryable, outcome }: ProblemEntry): string {
  if (retryable) return 'yes: the same request may succeed later';
  return outcome === 'unknown' ? 'only after you check the outcome' : 'no: the same request fails again';
}

function answeredBy(type: ProblemType, routes: readonly Route[]): string[] {
  const is = (listed: ProblemType) => listed === type;
  const operations = routes.filter(({ problems }) => problems.some(is));
  return [
    ...(COMMON_PROBLEMS.some(is) ? ['every operation'] : []),
    ...(CREDENTIAL_PROBLEMS.some(is) ? ['every operation that requires credentials'] : []),
    ...operations.map(({ id, method, path }) => `\`${id}\`: \`${method} ${path}\``),
    ...(isOfTheGateway(type) ? ['the gateway, before it calls an operation'] : []),
    ...PROBLEMS_BEYOND_HTTP.filter(({ problems }) => problems.some(is)).map(({ name }) => name),
  ];
}

/** Whether only operations with the errors of OAuth answer with the problem. */
function isOnlyOfOAuth(type: ProblemType, routes: readonly Route[]): boolean {
  const operations = routes.filter(({ problems }) => problems.includes(type));
  return operations.length > 0 && operations.every(({ errorForm }) => errorForm === 'oauth');
}

/** Whether the gateway can answer with the problem without calling an operation. */
function isOfTheGateway(type: ProblemType): boolean {
  const responses = [...GATEWAY_RESPONSES, MANAGED_FIREWALL_RESPONSE];
  return type === 'method-not-allowed' || responses.some(({ problem }) => problem === type);
}

const syntax = 'The body is not valid JSON at line 3, column 18: expected "," or "}".';
const key =
  'A request may have only one Idempotency-Key header, with 1 to 255 visible ASCII characters, quoted or bare.';
const query = 'The query is invalid. Segue did nothing.';

/** An example of each problem type, for its page. */
export const EXAMPLES: Readonly<Record<ProblemType, Occurrence>> = {
  'malformed-json': { detail: syntax, errors: [{ pointer: '', code: 'syntax', detail: syntax }] },
  'invalid-project': {
    detail: 'The project breaks 2 rules of the contract. Nothing was stored.',
    errors: [
      {
        pointer: '/targetLanguages/0/targetLanguageCode',
        code: 'unknown-language',
        detail: 'No language has this code. The nearest codes are de, de-DE, de-AT.',
        allowed: ['de', 'de-DE', 'de-AT'],
      },
      { pointer: '/segments/2/content', code: 'empty', detail: 'The text must not be empty.' },
    ],
  },
  'invalid-translations': {
    detail: 'The translations break 2 rules of the contract. Nothing was written.',
    errors: [
      {
        pointer: '/0/segmentId',
        code: 'unknown-segment',
        detail: 'The project has no segment with this id.',
      },
      {
        pointer: '/3/status',
        code: 'status-lower',
        detail: 'The translation is proofread already. To lower its status, send "reopen": true.',
      },
    ],
  },
  'invalid-language-change': {
    detail: 'The change breaks a rule of the contract. Nothing was changed.',
    errors: [
      {
        pointer: '/state',
        code: 'not-allowed',
        detail: 'This field must be one of: InProgress, InPreparation.',
        allowed: ['InProgress', 'InPreparation'],
      },
    ],
  },
  'invalid-parameter': {
    detail: query,
    errors: [{ pointer: '/query/limit', code: 'invalid-parameter', detail: 'limit must be an integer from 1 to 100.' }],
  },
  'unknown-parameter': {
    detail: query,
    errors: [
      {
        pointer: '/query/taskid',
        code: 'unknown-parameter',
        detail: 'The query of this request may have only taskId. Did you mean taskId?',
        allowed: ['taskId'],
      },
    ],
  },
  'unexpected-body': { detail: 'This request must have no body. Segue did nothing.' },
  'invalid-header': {
    detail: key,
    errors: [{ pointer: '/headers/idempotency-key', code: 'invalid-header', detail: key }],
  },
  'invalid-token-request': { detail: 'The form must have the field grant_type=client_credentials.' },
  'unsupported-grant-type': {
    detail: 'The only grant type of this API is client_credentials. To refresh a token, obtain a new one.',
  },
  'invalid-scope': {
    detail: 'The API key lacks a requested scope. It has the scopes: create read delete. Separate scopes by one space.',
  },
  unauthenticated: { detail: unauthenticatedDetail('wrong-key') },
  'invalid-signature': {
    detail:
      'The signature is missing, wrong or too old. Sign the exact bytes of the body with the secret of the source.',
  },
  'company-suspended': { detail: SUSPENDED_DETAIL },
  'scope-missing': { detail: 'The API key lacks the scope delete. Use a key that has this scope.' },
  'project-not-found': projectNotFound('2026-11-20T09:37:31.439Z'),
  'task-not-found': { detail: 'The project has no task with this id: GET …/progress lists its tasks.' },
  'language-not-found': {
    detail: 'The project has no target language with this code: GET …/progress lists its languages.',
  },
  'operation-not-found': {
    detail:
      'The company has no operation with this id. The header Location, problems and receipts have the ids of operations.',
  },
  'source-not-found': {
    detail: 'No webhook source has this name. Compare the path with the URL that segue source add printed.',
  },
  'company-not-found': { detail: 'No company has this id. Segue did nothing.' },
  'route-not-found': { detail: NO_SUCH_PATH },
  'method-not-allowed': methodNotAllowed(['GET', 'HEAD', 'DELETE']),
  'not-acceptable': {
    detail: 'The Accept header must allow application/json. Segue answers this request with nothing else.',
  },
  'custom-id-in-use': {
    detail: 'Another project of the company has this custom id. Nothing was stored.',
    errors: [
      {
        pointer: '/customId',
        code: 'in-use',
        detail: 'Another project has this custom id. Use another custom id, or delete that project.',
      },
    ],
  },
  'translation-changed': {
    detail: 'A translation has another version than the request says. Nothing was written.',
    errors: [
      {
        pointer: '/1/ifVersion',
        code: 'version-differs',
        detail: 'The translation has version 3 now.',
        currentVersion: 3,
      },
    ],
  },
  'request-in-progress': {
    detail:
      'Another request with this idempotency key is still running. Wait for the time in Retry-After, then send this request again with the same key.',
    retryAfterSeconds: 2,
  },
  'project-deleted': {
    detail:
      'The project created with this idempotency key was deleted. Segue does not create it again. To create it, use a new key.',
    deletedAtUtc: '2026-11-20T09:37:31.439Z',
  },
  'events-expired': {
    detail:
      'The feed has no event with the id in after: it is older than 30 days, or was never an event of the company. Without after, the feed begins with its oldest event.',
  },
  'page-outdated': {
    detail: 'The project has changed since the previous page. Request the first page again, without cursor.',
  },
  'plan-outdated': {
    detail: 'The deletion would not remove what its plan shows. Nothing was deleted. Request a new plan.',
    errors: [
      {
        pointer: '/removes/segments',
        code: 'plan-differs',
        detail: 'The plan removes 3 segments. Now the deletion would remove 2.',
      },
    ],
  },
  'too-large': { detail: 'The body has more than 4194304 bytes after decoding.' },
  'unsupported-media-type': {
    detail: 'Send the header Content-Type: application/json. The body must be JSON in UTF-8.',
  },
  'idempotency-key-reused': {
    detail:
      'This idempotency key was used with another project. For a new request, use a new key. A retry must send the same project with the same endDateUtc; only startDateUtc may differ.',
    errors: [
      {
        pointer: '/name',
        code: 'not-the-same',
        detail: 'The first request with this idempotency key had a different value at this pointer.',
      },
    ],
  },
  'mapping-failed': { detail: 'The mapping fails at line 3, column 21: expected `}`.' },
  'rate-limited': RATE_LIMITED,
  'team-without-translator': {
    detail: 'A team has a proofreader but no translator. Nothing was stored. Do not send this request again.',
    errors: [
      {
        pointer: '/targetLanguages/0/team',
        code: 'team-without-translator',
        detail: 'A team with a proofreader needs a translator. Add one, or remove the proofreader.',
      },
    ],
  },
  'content-lost': {
    detail: 'The content of the project is lost, and nobody can restore it. Delete the project, and create it again.',
  },
  'internal-error': {
    detail: 'Segue could not handle the request. The operator can find the cause by the request id.',
  },
  'not-supported': { detail: 'The project service behind Segue does not have this operation. Segue did nothing.' },
  'upstream-refused': { detail: 'The upstream service refused the request with status 422.' },
  'upstream-invalid': { detail: 'The upstream service returned another project than the requested one.' },
  'upstream-unavailable': { detail: 'The upstream service accepts no requests at the moment.', retryAfterSeconds: 5 },
  unavailable: {
    detail: 'Segue’s database is unavailable. Nothing was stored. Send the request again later.',
    retryAfterSeconds: 5,
  },
  'outcome-unknown': {
    detail: 'The upstream service may have carried out the request: its answer was lost or unreadable.',
    operationId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  },
};
