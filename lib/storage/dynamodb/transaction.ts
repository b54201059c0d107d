import { type DynamoDBClient, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Commit } from '../port.ts';
import { cancellationOf, failureOf } from './failures.ts';
import { pause } from './pause.ts';

/** Transactions on the same items at once are refused, all but one: so often they are tried again. */
const MOST_ATTEMPTS = 6;

/**
 * Makes all changes or none.
 * @returns which operation's condition did not hold, where one did not
 * @throws {Problem} `unavailable` where nothing was done, `outcome-unknown` where that cannot be told
 */
export async function transact(client: DynamoDBClient, operations: readonly TransactWriteItem[]): Promise<Commit> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: [...operations] }));
      return { ok: true };
    } catch (error) {
      const cancellation = cancellationOf(error);
      if (cancellation?.refused !== undefined) return { ok: false, refused: cancellation.refused };
      if (!cancellation?.isConflict || attempt === MOST_ATTEMPTS) throw failureOf(error, true);
      await pause(attempt);
    }
  }
}
