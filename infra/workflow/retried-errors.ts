import {
  type FailureClass,
  failureClass,
  failureName,
  PROBLEM_TYPES,
  PROBLEMS,
  type ProblemType,
} from '../../lib/contract/problems.ts';

/** The error name that Step Functions reports if Lambda refused to start the function. */
const NOT_STARTED = 'Lambda.TooManyRequestsException';

/**
 * The error names that Lambda and Step Functions report if a function gave no answer. The function may have done its
 * work.
 */
export const NO_ANSWER = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Sandbox.Timedout',
  'States.Timeout',
] as const;

/** Matches every error except `States.DataLimitExceeded` and `States.Runtime`, which end the execution. */
export const ANY = 'States.ALL';

const namesOf = (types: readonly ProblemType[]): string[] => types.map(failureName);
const isOf = (wanted: FailureClass) => (type: ProblemType) => failureClass(type) === wanted;

/** The error names of failed attempts that did nothing, where a retry may succeed. */
export const NOT_APPLIED: readonly string[] = [
  ...namesOf(PROBLEM_TYPES.filter(isOf('Retryable')).filter((type) => PROBLEMS[type].outcome === 'not-applied')),
  NOT_STARTED,
];

/**
 * The error names of failed attempts where a retry with the same idempotency key may succeed, whether or not the failed
 * attempt did its work.
 */
export const REPEATABLE: readonly string[] = [
  ...namesOf([...PROBLEM_TYPES.filter(isOf('Retryable')), ...PROBLEM_TYPES.filter(isOf('Unknown'))]),
  NOT_STARTED,
  ...NO_ANSWER,
];
