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

/** Why the bus did not take an event. */
class EventRefused extends Error {
  override readonly name = 'EventRefused';
  readonly code: string | undefined;

  constructor(code: string | undefined) {
    super('The bus did not take an event');
    this.code = code;
  }
}

/**
 * Puts up to ten events onto a bus.
 * @returns how many were taken before the first that was not, and why that was not
 */
export async function putEvents(
  bus: string,
  client: EventBridgeClient,
  events: readonly DomainEvent[],
): Promise<{ readonly taken: number; readonly failure?: Error }> {
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
  const refused = events.findIndex((_, index) => Entries[index]?.EventId === undefined);
  return refused === -1
    ? { taken: events.length }
    : { taken: refused, failure: new EventRefused(Entries[refused]?.ErrorCode) };
}
