import { DomainEvent } from '../../contract/event.ts';
import { failureFields, type Log, logToStandardError } from '../../service/log.ts';
import { answerTo, type Inserted, insertedIn, type StreamAnswer } from './stream.ts';

/**
 * Puts events where others listen.
 * @returns which of them were taken, in their order
 */
export type Publish = (events: readonly DomainEvent[]) => Promise<readonly boolean[]>;

/** As many as a bus takes at once. */
const AT_ONCE = 10;

/** Makes the publisher of what happened, as the records that were committed with it say. */
export function eventPublisher(
  publish: Publish,
  { now = Date.now, log = logToStandardError }: { readonly now?: () => number; readonly log?: Log } = {},
): (event: unknown, context: { readonly awsRequestId: string }) => Promise<StreamAnswer> {
  return async (event, { awsRequestId: requestId }) => {
    const began = now();
    const inserted = insertedIn(event);
    const failed: Inserted[] = [];
    for (let from = 0; from < inserted.length; from += AT_ONCE) {
      const batch = inserted.slice(from, from + AT_ONCE);
      const events = batch.map(({ data }) => DomainEvent.parse(JSON.parse(data)));
      const taken = await publish(events).catch((error: unknown) => {
        log({ operation: 'publishEvents', requestId, durationMs: now() - began, ...failureFields(error) });
        return [];
      });
      failed.push(...batch.filter((_, index) => taken[index] !== true));
    }
    log({ operation: 'publishEvents', requestId, durationMs: now() - began, left: failed.length });
    return answerTo(failed);
  };
}
