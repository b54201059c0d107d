import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Batch, Commit } from '../port.ts';
import type { DynamoDb, TransactionPart } from './client.ts';
import { callFailure, cancellationOf, outcomeUnknown, unavailable } from './failures.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Waits before the next attempt: up to twice as long each time, at random, so that rivals do not meet again. */
export async function pause(attempt: number, random: () => number = Math.random): Promise<void> {
  await setTimeout(random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
}

const MAX_READS = 2;

/**
 * Makes a call that changes nothing, and repeats it if that may help.
 * @throws {Problem} `unavailable`
 */
export async function retryRead<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === MAX_READS || !callFailure(error).isPassing) throw unavailable(error);
      await pause(attempt);
    }
  }
}

/** DynamoDB refuses all but one of several transactions on the same items at once. */
const MAX_CONFLICTS = 6;
/** A throttled table answers at once, and takes more each second: with the pauses, these are up to three seconds. */
const MAX_THROTTLES = 10;
/** Each may take as long as the client waits for an answer, and a request has little time. */
const MAX_FAILURES = 3;

/**
 * Makes all changes of a transaction or none. An attempt that may have been made is repeated with its token, so that
 * DynamoDB never makes it twice.
 * @param deadline no retry begins after it
 * @returns which operation's condition did not hold, if one did not
 * @throws {Problem} `unavailable` if nothing was done, `outcome-unknown` if that is not known
 */
export async function commitTransaction(
  client: DynamoDb,
  operations: readonly TransactionPart[],
  deadline?: Batch['deadline'],
): Promise<Commit> {
  let token = randomUUID();
  let isUndone = true;
  const left = { conflicts: MAX_CONFLICTS, throttles: MAX_THROTTLES, failures: MAX_FAILURES };
  for (let attempt = 1; ; attempt++) {
    try {
      await client.call('TransactWriteItems', { TransactItems: operations, ClientRequestToken: token });
      return { ok: true };
    } catch (error) {
      const cancellation = cancellationOf(error);
      if (cancellation?.refused !== undefined) return { ok: false, refused: cancellation.refused };
      const failure = callFailure(error);
      isUndone &&= failure.isUndone;
      const kind = cancellation?.isConflict ? 'conflicts' : failure.isThrottled ? 'throttles' : 'failures';
      const mayHelp = cancellation?.isConflict || failure.isPassing;
      if (!mayHelp || --left[kind] === 0 || deadline?.remainingMs() === 0) {
        throw isUndone ? unavailable(error) : outcomeUnknown(error);
      }
      if (isUndone) token = randomUUID();
      await pause(attempt);
    }
  }
}
