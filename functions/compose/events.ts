import { deliveries, eventSecretStore, eventSecrets, ledger, sendsEvents, sendsResults } from '#platform';
import { type EventSecrets, eventSecretsIn } from '../../lib/credentials/event-secrets.ts';
import { resultOpener } from '../../lib/destinations/deliveries.ts';
import { eventDeliveryOpener } from '../../lib/events/deliveries.ts';
import { type EventSender, eventSender, logSent } from '../../lib/events/event-sender.ts';
import { eventFeed } from '../../lib/events/feed.ts';
import { type MoveEvents, outboxMover } from '../../lib/events/feed-positions.ts';
import type { EventFeed } from '../../lib/service/event-feed.ts';
import { publicTransport } from '../../lib/service/http-client/public-transport.ts';
import { allowsLoopbackEvents } from './environment.ts';

/** Opens the function that moves the events of a company from the outbox to the feed, and opens their deliveries. */
export function openMover(): MoveEvents {
  const openDelivery = sendsEvents() ? eventDeliveryOpener(deliveries(), Date.now) : undefined;
  const openResult = sendsResults() ? resultOpener(deliveries(), Date.now) : undefined;
  return outboxMover({ store: ledger(), now: Date.now, openDelivery, openResult });
}

/**
 * Opens the feed of events. It first reads an item that does not exist, and ignores the result. This prepares the client
 * of the store before the first request arrives.
 */
export async function openFeed(): Promise<EventFeed> {
  await Promise.allSettled([ledger().read({ partition: 'none', sort: 'none' })]);
  return eventFeed({ store: ledger(), now: Date.now, move: openMover() });
}

/** Opens the sender of events. */
export function openEventSender(): EventSender {
  return eventSender({
    store: deliveries(),
    secretsOf: eventSecrets(),
    send: publicTransport({ allowsLoopback: allowsLoopbackEvents() }),
    now: Date.now,
    random: Math.random,
    onAttempt: logSent(),
  });
}

/** Opens the secrets that sign events, to make new ones. */
export function openEventSecrets(): EventSecrets {
  return eventSecretsIn({ store: ledger(), secretStore: eventSecretStore(), now: Date.now });
}
