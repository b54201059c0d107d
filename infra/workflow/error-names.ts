import { type FailureClass, failureClass, failureName } from '../../lib/contract/failure-names.ts';
import { PROBLEM_TYPES, PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';

/** What Step Functions says where Lambda did not start a function. */
const NOT_STARTED = 'Lambda.TooManyRequestsException';

/** What Lambda and Step Functions say by themselves where a function gave no answer: it may have done its work all the same. */
export const UNANSWERED = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Sandbox.Timedout',
  'States.Timeout',
] as const;

/** Every other failure, but for two that nothing catches: `States.DataLimitExceeded` and `States.Runtime`. */
export const ANY = 'States.ALL';

const namesOf = (types: readonly ProblemType[]): string[] => types.map(failureName);
const isOf = (wanted: FailureClass) => (type: ProblemType) => failureClass(type) === wanted;

/** After these nothing was done, and the same may succeed later. */
export const NOT_NOW: readonly string[] = [
  ...namesOf(PROBLEM_TYPES.filter(isOf('Retryable')).filter((type) => PROBLEMS[type].outcome === 'not-applied')),
  NOT_STARTED,
];

/** After these the same may succeed later, and it does not matter whether it was done: it is done once. */
export const AGAIN: readonly string[] = [
  ...namesOf([...PROBLEM_TYPES.filter(isOf('Retryable')), ...PROBLEM_TYPES.filter(isOf('Unknown'))]),
  NOT_STARTED,
  ...UNANSWERED,
];
