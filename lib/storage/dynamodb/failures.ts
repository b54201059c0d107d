import { AwsRefusal } from '../../aws/json-client.ts';
import { Problem } from '../../contract/problem.ts';

/** Why DynamoDB cancelled a transaction. */
export interface Cancellation {
  /** The first operation whose condition did not hold. */
  readonly refused?: number;
  /** Another transaction is changing the same items: a retry may succeed. */
  readonly isConflict: boolean;
  /** The table is throttled. */
  readonly isThrottled: boolean;
}

/** Reads why a transaction was cancelled; `undefined` if the error is something else. */
export function cancellationOf(error: unknown): Cancellation | undefined {
  if (!(error instanceof AwsRefusal) || error.code !== CANCELLED) return undefined;
  const codes = error.reasons;
  const refused = codes.indexOf('ConditionalCheckFailed');
  return {
    ...(refused !== -1 && { refused }),
    isConflict: codes.includes('TransactionConflict'),
    isThrottled: codes.some((code) => THROTTLED.has(code)),
  };
}

/** The codes of throttling, for a call or for an operation of a transaction. */
const THROTTLED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);
const CANCELLED = 'TransactionCanceledException';
/** The transaction is still at work: this looks like a refusal and is none. */
const IN_PROGRESS = 'TransactionInProgressException';
/** The codes and names of errors of calls that never left this machine. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'NeverSent']);

/** What is known of a call that failed. */
export interface CallFailure {
  /** Whether it was not done and never will be. If no answer came, nobody knows. */
  readonly isUndone: boolean;
  /** Whether a retry may succeed soon. */
  readonly isPassing: boolean;
  /** Whether the table is throttled, which lasts longer than other passing failures. */
  readonly isThrottled?: boolean;
}

export function callFailure(error: unknown): CallFailure {
  if (error instanceof AwsRefusal) return refusalFailure(error);
  if (!(error instanceof Error)) return { isUndone: false, isPassing: false };
  return { isUndone: NEVER_SENT.has(error.name) || ('code' in error && NEVER_SENT.has(error.code)), isPassing: true };
}

function refusalFailure(refusal: AwsRefusal): CallFailure {
  if (!refusal.isOfRequest || refusal.code === IN_PROGRESS) return { isUndone: false, isPassing: true };
  const isThrottled = THROTTLED.has(refusal.code) || cancellationOf(refusal)?.isThrottled === true;
  return { isUndone: true, isPassing: isThrottled, isThrottled };
}

/** The problem of a call that failed with nothing done. */
export function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', { detail: 'The store cannot be used now.', retryAfterSeconds: 5 }, { cause });
}

/** The problem of a call that failed and may have made a change. */
export function outcomeUnknown(cause: unknown): Problem {
  return new Problem('outcome-unknown', { detail: 'The store did not say whether it took the change.' }, { cause });
}
