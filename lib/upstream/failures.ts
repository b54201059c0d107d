import type { Fault } from '../contract/fault.ts';
import { Problem } from '../contract/problem.ts';
import { DEFAULT_RETRY_AFTER_SECONDS } from './retry-after.ts';
import { NoAnswer, OUT_OF_TIME } from './transport.ts';

/** The service took no credentials. By this name logs are searched: it is for the operator, and no caller's fault. */
export class LockedOut extends Error {
  override readonly name = 'LockedOut';
  /** The status it answered with, such as `HTTP_401`. */
  readonly code: string;

  constructor(status: number) {
    super(`The service answered ${status}`);
    this.code = `HTTP_${status}`;
  }
}

/** The failures that only a service elsewhere has, in the words of the contract. None of the service's own words is among them. */
export const upstreamFailures = {
  refused: (detail: string, errors: readonly Fault[] = []) =>
    new Problem('upstream-refused', { detail, ...(errors.length > 0 && { errors }) }),

  /** It may take less than Segue does; and with the custom id that Segue gives it, it gets a little more. */
  tooLarge: () =>
    new Problem('too-large', { detail: 'The project has more bytes than the service behind Segue takes.' }),

  unavailable: (detail: string, retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS, cause?: NoAnswer | LockedOut) =>
    new Problem('upstream-unavailable', { detail, retryAfterSeconds }, { cause }),

  invalid: (detail: string) => new Problem('upstream-invalid', { detail }),

  tasksHidden: () =>
    new Problem('upstream-invalid', { detail: 'The service does not show which tasks the project has.' }),

  /** @param operationId by which what became of it can be asked for, where that is kept */
  outcomeUnknown: (detail: string, cause?: NoAnswer, operationId?: string) =>
    new Problem(
      'outcome-unknown',
      {
        detail,
        ...(operationId !== undefined && { operationId }),
        ...(cause?.code === OUT_OF_TIME && { isRunning: true }),
      },
      { cause },
    ),
};

/**
 * The outcome of an operation that cannot be told yet.
 * @param sent what sending it ended in, where it was sent just now
 */
export function unknownOutcome({ operationId }: { readonly operationId: string }, sent?: Problem): Problem {
  const cause = sent?.cause instanceof NoAnswer ? sent.cause : undefined;
  return upstreamFailures.outcomeUnknown('The service may have carried out the request.', cause, operationId);
}
