import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { DomainEvent } from '../contract/event.ts';

/** A client of Amazon EventBridge: its region, credentials and endpoint from the SDK's own settings. */
export function eventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
}

/** Where its events come from, as rules of the bus match it. */
const SOURCE = 'segue';

/**
 * Puts up to ten events onto a bus.
 * @returns which of them were taken, in their order
 */
export async function putEvents(
  bus: string,
  client: EventBridgeClient,
  events: readonly DomainEvent[],
): Promise<boolean[]> {
  const { Entries = [] } = await client.send(
    new PutEventsCommand({
      Entries: events.map((event) => ({
        EventBusName: bus,
        Source: SOURCE,
        DetailType: event.type,
        Detail: JSON.stringify(event),
        Time: new Date(event.atUtc),
      })),
    }),
  );
  return events.map((_, index) => Entries[index]?.EventId !== undefined);
}
