import { AwsRefusal } from '../../aws/json-client.ts';
import { Problem } from '../../contract/problem.ts';

/** Why DynamoDB cancelled a transaction: what it says of each operation of it. */
export interface Cancellation {
  /** The first operation whose condition did not hold. */
  readonly refused?: number;
  /** Another transaction is at the same items: to be tried again. */
  readonly isConflict: boolean;
  /** The table takes no more now. */
  readonly isThrottled: boolean;
}

/** Reads why a transaction was cancelled; `undefined` where it was not that which happened. */
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

/** By which DynamoDB says, of a call or of an operation of a transaction, that it takes no more now. */
const THROTTLED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);
const CANCELLED = 'TransactionCanceledException';
/** Of a transaction that is still at work: no refusal, though it looks like one. */
const AT_WORK = 'TransactionInProgressException';
/** Of calls that never left this machine. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'NeverSent']);

/** What is known of a call that failed. */
export interface Failure {
  /** Whether it was not done, nor will be. What AWS refused was not; where an answer did not come nobody knows. */
  readonly isUndone: boolean;
  /** Whether it may succeed when it is made again soon. */
  readonly isPassing: boolean;
  /** Whether the table takes no more now, which lasts longer than most of what passes. */
  readonly isThrottled?: boolean;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof AwsRefusal) return failureToldBy(error);
  if (!(error instanceof Error)) return { isUndone: false, isPassing: false };
  return { isUndone: NEVER_SENT.has(error.name) || ('code' in error && NEVER_SENT.has(error.code)), isPassing: true };
}

function failureToldBy(refusal: AwsRefusal): Failure {
  if (!refusal.isOfRequest || refusal.code === AT_WORK) return { isUndone: false, isPassing: true };
  const isThrottled = THROTTLED.has(refusal.code) || cancellationOf(refusal)?.isThrottled === true;
  return { isUndone: true, isPassing: isThrottled, isThrottled };
}

/** What a call that failed is to whoever made it, where nothing was done. */
export function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', { detail: 'The store cannot be used now.', retryAfterSeconds: 5 }, { cause });
}

/** The same, where a change may have been made. */
export function outcomeUnknown(cause: unknown): Problem {
  return new Problem('outcome-unknown', { detail: 'The store did not say whether it took the change.' }, { cause });
}
