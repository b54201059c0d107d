import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { DomainEvent } from '../contract/event.ts';

/** Creates a client of Amazon EventBridge. Region, credentials and endpoint come from the settings of the AWS SDK. */
export function eventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
}

/** The `Source` field of every published event. Rules of the event bus select events by it. */
const SOURCE = 'segue';

/** The error for an event that the event bus refused. */
class EventRefused extends Error {
  override readonly name = 'EventRefused';
  readonly code: string | undefined;

  constructor(code: string | undefined) {
    super('The event bus refused an event');
    this.code = code;
  }
}

/**
 * Publishes up to ten events.
 * @returns in `taken`, the number of events before the first refused one; in `failure`, why the bus refused it
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
