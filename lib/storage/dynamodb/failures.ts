import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { Problem } from '../../contract/problem.ts';

/** Why DynamoDB cancelled a transaction: what it says of each operation of it. */
export interface Cancellation {
  /** The first operation whose condition did not hold. */
  readonly refused?: number;
  /** Another transaction is at the same items: to be tried again. */
  readonly isConflict: boolean;
}

/** Reads why a transaction was cancelled; `undefined` where it was not that which happened. */
export function cancellationOf(error: unknown): Cancellation | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
  const refused = codes.indexOf('ConditionalCheckFailed');
  return { ...(refused !== -1 && { refused }), isConflict: codes.includes('TransactionConflict') };
}

/**
 * What a failed call is to whoever made it. A change that was refused by AWS was not made; one whose answer did not
 * come may have been.
 */
export function failureOf(cause: unknown, isChange: boolean): Problem {
  if (isChange && !isRefusal(cause)) {
    return new Problem('outcome-unknown', { detail: 'The store did not say whether it took the change.' }, { cause });
  }
  return new Problem('unavailable', { detail: 'The store cannot be used now.', retryAfterSeconds: 5 }, { cause });
}

/** Whether an error is an answer of AWS that it did not do what it was asked. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && '$fault' in error && error.$fault === 'client';
}
