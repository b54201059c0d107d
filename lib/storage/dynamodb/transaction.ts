import { randomUUID } from 'node:crypto';
import type { Batch, Commit } from '../port.ts';
import type { DynamoDb } from './client.ts';
import { cancellationOf, failureOf, outcomeUnknown, unavailable } from './failures.ts';
import { pause } from './pause.ts';
import type { TransactionPart } from './wire.ts';

/** Transactions on the same items at once are refused, all but one: so often they are tried again. */
const MOST_CONFLICTS = 6;
/** A table that takes no more says so at once, and gives more with every second: up to three of them with the pauses. */
const MOST_THROTTLES = 10;
/** Each may take as long as the client waits for an answer, and a request has not much time. */
const MOST_FAILURES = 3;

/**
 * Makes all changes or none. An attempt that may have been made is repeated with its token, by which DynamoDB knows it
 * again: it is never made twice, and what became of it is told.
 * @param deadline until when it is worth trying again
 * @returns which operation's condition did not hold, where one did not
 * @throws {Problem} `unavailable` where nothing was done, `outcome-unknown` where that cannot be told
 */
export async function transact(
  client: DynamoDb,
  operations: readonly TransactionPart[],
  deadline?: Batch['deadline'],
): Promise<Commit> {
  let token = randomUUID();
  let isUndone = true;
  const left = { conflicts: MOST_CONFLICTS, throttles: MOST_THROTTLES, failures: MOST_FAILURES };
  for (let attempt = 1; ; attempt++) {
    try {
      await client.call('TransactWriteItems', { TransactItems: operations, ClientRequestToken: token });
      return { ok: true };
    } catch (error) {
      const cancellation = cancellationOf(error);
      if (cancellation?.refused !== undefined) return { ok: false, refused: cancellation.refused };
      const failure = failureOf(error);
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
