import type { Fault } from '../contract/fault.ts';
import { Problem } from '../contract/problem.ts';
import { DEFAULT_RETRY_AFTER_SECONDS } from './retry-after.ts';
import type { NoAnswer } from './transport.ts';

/** The failures that only a service elsewhere has, in the words of the contract. None of the service's own words is among them. */
export const upstreamFailures = {
  refused: (detail: string, errors: readonly Fault[] = []) =>
    new Problem('upstream-refused', { detail, ...(errors.length > 0 && { errors }) }),

  unavailable: (detail: string, retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS, cause?: NoAnswer) =>
    new Problem('upstream-unavailable', { detail, retryAfterSeconds }, { cause }),

  invalid: (detail: string) => new Problem('upstream-invalid', { detail }),

  outcomeUnknown: (detail: string, cause?: NoAnswer) => new Problem('outcome-unknown', { detail }, { cause }),
};
