import { PROBLEMS_BEYOND_HTTP } from './command-problems.ts';
import * as failures from './failures.ts';
import {
  GATEWAY_RESPONSES,
  MANAGED_FIREWALL_RESPONSE,
  NO_SUCH_PATH,
  RATE_LIMITED,
  unauthenticatedDetail,
} from './gateway-responses.ts';
import { LIMITS } from './limits.ts';
import { type OAuthErrorBody, oauthErrorBody } from './oauth.ts';
import { invalidParameter, unknownParameter } from './parameters.ts';
import { methodNotAllowed, Problem, type ProblemBody } from './problem.ts';
import { EXPLANATIONS, type Explanation } from './problem-explanations.data.ts';
import { type Outcome, PROBLEMS, type ProblemEntry, type ProblemType } from './problems.ts';
import { COMMON_PROBLEMS, CREDENTIAL_PROBLEMS, DEFAULT_SCOPES, type Route } from './routes.ts';
import { translationFaults } from './translation-faults.ts';

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

/** When the project in the examples was deleted. */
const DELETED_AT = '2026-11-20T09:37:31.439Z';

/** The request id in all examples, in the format of API Gateway. */
const EXAMPLE_INSTANCE = '5e3a5c0e-7a53-4f4f-8b39-3c5f0f5a8d0e';

/**
 * Builds the page of a problem type.
 * @param problemsUrl the URL of the problem pages
 * @param routes the routes of all operations
 */
export function problemPage(type: ProblemType, problemsUrl: string, routes: readonly Route[]): ProblemPage {
  const entry = PROBLEMS[type];
  const example = EXAMPLES[type];
  const problem = example.body(problemsUrl, EXAMPLE_INSTANCE);
  return {
    type,
    uri: problem.type,
    title: entry.title,
    status: entry.status,
    retry: retryOf(entry),
    outcome: OUTCOME_TEXTS[entry.outcome],
    ...EXPLANATIONS[type],
    answeredBy: answeredBy(type, routes),
    example: isOnlyOfOAuth(type, routes) ? oauthErrorBody(type, example.occurrence, problemsUrl) : problem,
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

/** An example of each problem type, for its page. */
export const EXAMPLES: Readonly<Record<ProblemType, Problem>> = {
  'malformed-json': failures.malformedJson(
    'syntax',
    'The body is not valid JSON at line 3, column 18: expected "," or "}".',
  ),
  'invalid-project': failures.invalidProject([
    {
      pointer: '/targetLanguages/0/targetLanguageCode',
      code: 'unknown-language',
      detail: 'No language has this code. The nearest codes are de, de-DE, de-AT.',
      allowed: ['de', 'de-DE', 'de-AT'],
    },
    { pointer: '/segments/2/content', code: 'empty', detail: 'The text must not be empty.' },
  ]),
  'invalid-translations': failures.invalidTranslations([
    translationFaults.unknownSegment(0, { segmentId: 1 }),
    translationFaults.lowerStatus(3, 'proofread'),
  ]),
  'invalid-language-change': failures.invalidLanguageChange([
    {
      pointer: '/state',
      code: 'not-allowed',
      detail: 'This field must be one of: InProgress, InPreparation.',
      allowed: ['InProgress', 'InPreparation'],
    },
  ]),
  'invalid-parameter': failures.invalidQuery('invalid-parameter', [invalidParameter('limit', 1)]),
  'unknown-parameter': failures.invalidQuery('unknown-parameter', [unknownParameter('taskid', ['taskId'])]),
  'unexpected-body': failures.unexpectedBody(),
  'invalid-header': failures.invalidIdempotencyKey(),
  'invalid-token-request': failures.grantTypeMissing(),
  'unsupported-grant-type': failures.unsupportedGrantType(),
  'invalid-scope': failures.invalidScope(DEFAULT_SCOPES),
  unauthenticated: new Problem('unauthenticated', { detail: unauthenticatedDetail('wrong-key') }),
  'invalid-signature': failures.invalidSignature(failures.signatureRefusal({ signsTime: true })),
  'company-suspended': failures.companySuspended(),
  'scope-missing': failures.scopeMissing(['delete']),
  'project-not-found': failures.projectNotFound(DELETED_AT),
  'task-not-found': failures.taskNotFound(),
  'language-not-found': failures.languageNotFound(),
  'operation-not-found': failures.operationNotFound(),
  'source-not-found': failures.sourceNotFound(),
  'company-not-found': failures.companyNotFound(),
  'route-not-found': new Problem('route-not-found', { detail: NO_SUCH_PATH }),
  'method-not-allowed': new Problem('method-not-allowed', methodNotAllowed(['GET', 'HEAD', 'DELETE'])),
  'not-acceptable': failures.notAcceptable(['application/json']),
  'custom-id-in-use': failures.customIdInUse(),
  'revision-outdated': failures.revisionOutdated(42),
  'translation-changed': failures.translationChanged([translationFaults.otherVersion(1, 3)]),
  'request-in-progress': failures.requestInProgress(2),
  'project-deleted': failures.projectDeleted(failures.CREATION.deleted, DELETED_AT),
  'events-expired': failures.eventsExpired(),
  'page-outdated': failures.pageOutdated(),
  'plan-outdated': failures.planOutdated([
    {
      pointer: '/removes/segments',
      code: 'plan-differs',
      detail: 'The plan removes 3 segments. Now the deletion would remove 2.',
    },
  ]),
  'too-large': failures.tooLarge(LIMITS.bodyBytes),
  'unsupported-media-type': failures.notJson(),
  'idempotency-key-reused': failures.idempotencyKeyReused(failures.CREATION.another, failures.CREATION.retryHint, [
    '/name',
  ]),
  'mapping-failed': failures.mappingFailed('The mapping fails at line 3, column 21: expected `}`.'),
  'fetch-failed': failures.fetchFailed('cdn.example.com answered 401. Check the secret and the header of the fetch.'),
  'rate-limited': new Problem('rate-limited', RATE_LIMITED),
  'quota-exceeded': failures.quotaExceeded(28_800),
  'team-without-translator': failures.teamWithoutTranslator([
    {
      pointer: '/targetLanguages/0/team',
      code: 'team-without-translator',
      detail: 'A team with a proofreader needs a translator. Add one, or remove the proofreader.',
    },
  ]),
  'content-lost': failures.contentLost(),
  'internal-error': failures.internalError(),
  'not-supported': failures.notSupported(),
  'upstream-refused': new Problem('upstream-refused', { detail: failures.UPSTREAM.refused(422) }),
  'upstream-invalid': new Problem('upstream-invalid', { detail: failures.UPSTREAM.otherProject }),
  'upstream-unavailable': new Problem('upstream-unavailable', {
    detail: failures.UPSTREAM.paused,
    retryAfterSeconds: 5,
  }),
  unavailable: failures.storeUnavailable(undefined),
  'outcome-unknown': new Problem('outcome-unknown', {
    detail: failures.UPSTREAM.lost,
    operationId: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  }),
};
