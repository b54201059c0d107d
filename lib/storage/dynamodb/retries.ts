import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { AwsRefusal } from '../../aws/json-client.ts';
import { storeUnavailable } from '../../contract/failures.ts';
import { Problem } from '../../contract/problem.ts';
import { type Retry, type RetryOptions, retry } from '../../service/retry.ts';
import type { Batch, Commit } from '../port.ts';
import type { DynamoDb, TransactionPart } from './client.ts';

const REAL_TIME = { sleep: (ms: number) => setTimeout(ms), random: Math.random };

/** Starts to count the attempts at one piece of work on the table, with the pauses that suit DynamoDB. */
export function attempts(
  { waits = REAL_TIME }: Pick<DynamoDb, 'waits'>,
  maxAttempts: number,
  limits: Pick<RetryOptions, 'deadline'> = {},
): Retry {
  return retry({ firstMs: 40, longestMs: 500, maxAttempts, ...waits, ...limits });
}

/**
 * Runs `call`, which must only read. Runs it once more after a temporary failure.
 * @throws {Problem} `unavailable` if the last attempt fails
 */
export async function retryRead<T>(client: Pick<DynamoDb, 'waits'>, call: () => Promise<T>): Promise<T> {
  const reads = attempts(client, 2);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!callFailure(error).isPassing || !(await reads.pause())) throw storeUnavailable(error);
    }
  }
}

/**
 * Commits a transaction: all its changes or none. If the outcome of an attempt is unknown, the next attempt has the
 * same token, so that DynamoDB runs the transaction only once.
 * @param deadline the deadline of the request; no retry starts after it
 * @throws {Problem} `unavailable` if DynamoDB changed nothing, `outcome-unknown` if it may have made the changes
 */
export async function commitTransaction(
  client: DynamoDb,
  operations: readonly TransactionPart[],
  deadline?: Batch['deadline'],
): Promise<Commit> {
  const limits = deadline && { deadline };
  const left = {
    // If several transactions change an item at once, DynamoDB accepts one and refuses the others.
    conflicts: attempts(client, 6, limits),
    // A throttled table refuses at once, and gets new capacity each second. These attempts take up to three seconds.
    throttles: attempts(client, 10, limits),
    // Each attempt may wait for an answer until the client's time limit, and a request has little time.
    failures: attempts(client, 3, limits),
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

/** The reasons for which DynamoDB cancelled a transaction. */
interface Cancellation {
  /** The index of the first operation whose condition did not hold, if any. */
  readonly refused?: number;
  /** Whether another transaction was changing one of the items. Then a retry may succeed. */
  readonly isConflict: boolean;
  /** Whether the table was throttled. */
  readonly isThrottled: boolean;
}

/** Reads from an error why DynamoDB cancelled the transaction; `undefined` for every other error. */
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

/** The error codes that mean throttling, for a call or for one operation of a transaction. */
const THROTTLED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);
/** The codes and names of errors that mean that a call never left this machine. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'NeverSent']);

/** What the error of a call means for a retry. */
interface CallFailure {
  /** Whether the call certainly changed nothing and never will. */
  readonly isUndone: boolean;
  /** Whether the failure is temporary, so that a retry may succeed soon. */
  readonly isPassing: boolean;
  /** Whether the table is throttled. Throttling lasts longer than other temporary failures. */
  readonly isThrottled?: boolean;
}

function callFailure(error: unknown): CallFailure {
  if (!(error instanceof Error)) return { isUndone: false, isPassing: false };
  if (!(error instanceof AwsRefusal)) {
    return { isUndone: NEVER_SENT.has(error.name) || ('code' in error && NEVER_SENT.has(error.code)), isPassing: true };
  }
  // `TransactionInProgressException` looks like a refusal, but the transaction with this token is still running.
  if (!error.isOfRequest || error.code === 'TransactionInProgressException')
    return { isUndone: false, isPassing: true };
  const isThrottled = THROTTLED.has(error.code) || cancellationOf(error)?.isThrottled === true;
  return { isUndone: true, isPassing: isThrottled, isThrottled };
}

/** Makes the problem of a failed commit that may have changed the table. */
function outcomeUnknown(cause: unknown): Problem {
  return new Problem(
    'outcome-unknown',
    { detail: 'Segue’s database did not confirm the change. The request may have taken effect.' },
    { cause },
  );
}
