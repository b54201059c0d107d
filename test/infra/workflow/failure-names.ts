import { failureName } from '../../../lib/contract/failure-names.ts';
import { PROBLEM_TYPES } from '../../../lib/contract/problems.ts';

/** After these nothing was done, and it may succeed later. */
export const NOT_NOW = [
  'Lambda.TooManyRequestsException',
  'Segue.Retryable.rate-limited',
  'Segue.Retryable.unavailable',
  'Segue.Retryable.upstream-unavailable',
];
/** After these it may have been done, and may succeed later. */
export const OPEN = [
  'Lambda.AWSLambdaException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Sandbox.Timedout',
  'Segue.Retryable.request-in-progress',
  'Segue.Unknown.internal-error',
  'Segue.Unknown.outcome-unknown',
  'Segue.Unknown.upstream-invalid',
  'States.Timeout',
];
/** What else may be said: nobody knows what it means. */
export const UNHEARD = ['Error', 'Lambda.AccessDeniedException', 'Runtime.ImportModuleError', 'States.Permissions'];
/** After these it is of no use to try again. */
export const TERMINAL = PROBLEM_TYPES.map(failureName).filter((name) => name.startsWith('Segue.Terminal.'));

/** Every name that a task can fail with, and some that nobody has heard of. */
export const NAMES = [...NOT_NOW, ...OPEN, ...UNHEARD, ...TERMINAL];
