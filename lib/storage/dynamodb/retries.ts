import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { AwsRefusal } from '../../aws/json-client.ts';
import { Problem } from '../../contract/problem.ts';
import { type Retry, type RetryOptions, retry } from '../../service/retry.ts';
import { type Batch, type Commit, storeUnavailable } from '../port.ts';
import type { DynamoDb, TransactionPart } from './client.ts';

/** Limits the attempts at one piece of work on the table, and pauses between them. */
export function attempts(maxAttempts: number, limits: Pick<RetryOptions, 'deadline'> = {}): Retry {
  const sleep = (ms: number) => setTimeout(ms);
  return retry({ firstMs: 40, longestMs: 500, maxAttempts, sleep, random: Math.random, ...limits });
}

/**
 * Makes a call that changes nothing. Repeats it once after a passing failure.
 * @throws {Problem} `unavailable`
 */
export async function retryRead<T>(call: () => Promise<T>): Promise<T> {
  const reads = attempts(2);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!callFailure(error).isPassing || !(await reads.pause())) throw storeUnavailable(error);
    }
  }
}

/**
 * Makes all changes of a transaction or none. Repeats an attempt with an unknown outcome under the same token, so that
 * DynamoDB makes it once.
 * @param deadline no retry begins after it
 * @throws {Problem} `unavailable` if nothing was done, `outcome-unknown` if that is not known
 */
export async function commitTransaction(
  client: DynamoDb,
  operations: readonly TransactionPart[],
  deadline?: Batch['deadline'],
): Promise<Commit> {
  const limits = deadline && { deadline };
  const left = {
    // DynamoDB refuses all but one of several transactions on the same items at once.
    conflicts: attempts(6, limits),
    // A throttled table answers at once, and has more capacity each second: these are up to three seconds.
    throttles: attempts(10, limits),
    // Each may take as long as the client waits for an answer, and a request has little time.
    failures: attempts(3, limits),
  };
  let token = randomUUID();
  let isUndone = true;
  for (;;) {
    try {
      await client.call('TransactWriteItems', { TransactItems: operations, ClientRequestToken: token });
      return { ok: true };
    } catch (error) {
      const cancellation = cancellationOf(error);
      if (cancellation?.refused !== undefined) return { ok: false, refused: cancellation.refused };
      const failure = callFailure(error);
      isUndone &&= failure.isUndone;
      if (isUndone) token = randomUUID();
      const kind = cancellation?.isConflict ? 'conflicts' : failure.isThrottled ? 'throttles' : 'failures';
      const mayHelp = cancellation?.isConflict || failure.isPassing;
      if (!mayHelp || !(await left[kind].pause())) throw isUndone ? storeUnavailable(error) : outcomeUnknown(error);
    }
  }
}

/** Why DynamoDB cancelled a transaction. */
interface Cancellation {
  /** The first operation whose condition did not hold. */
  readonly refused?: number;
  /** Whether another transaction was changing the same items: a retry may succeed. */
  readonly isConflict: boolean;
  readonly isThrottled: boolean;
}

/** Reads why a transaction was cancelled; `undefined` for every other error. */
function cancellationOf(error: unknown): Cancellation | undefined {
  if (!(error instanceof AwsRefusal) || error.code !== 'TransactionCanceledException') return undefined;
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
/** The codes and names of errors of calls that never left this machine. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'NeverSent']);

interface CallFailure {
  /** Whether the call was not done and never will be; `false` if that is not known. */
  readonly isUndone: boolean;
  /** Whether a retry may succeed soon. */
  readonly isPassing: boolean;
  /** Whether the table is throttled, which lasts longer than other passing failures. */
  readonly isThrottled?: boolean;
}

function callFailure(error: unknown): CallFailure {
  if (!(error instanceof Error)) return { isUndone: false, isPassing: false };
  if (!(error instanceof AwsRefusal)) {
    return { isUndone: NEVER_SENT.has(error.name) || ('code' in error && NEVER_SENT.has(error.code)), isPassing: true };
  }
  // The transaction is still running: this looks like a refusal, and is not one.
  if (!error.isOfRequest || error.code === 'TransactionInProgressException')
    return { isUndone: false, isPassing: true };
  const isThrottled = THROTTLED.has(error.code) || cancellationOf(error)?.isThrottled === true;
  return { isUndone: true, isPassing: isThrottled, isThrottled };
}

/** The problem of a call that failed and may have made a change. */
function outcomeUnknown(cause: unknown): Problem {
  return new Problem('outcome-unknown', { detail: 'Segue’s database did not confirm the change.' }, { cause });
}
