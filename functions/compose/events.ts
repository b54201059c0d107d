import { deliveries, eventSecretStore, eventSecrets, ledger, sendsEvents, sendsResults } from '#platform';
import { lazy } from '../../lib/contract/lazy.ts';
import { type EventSecrets, eventSecretsIn } from '../../lib/credentials/event-secrets.ts';
import { eventDeliveryOpener } from '../../lib/events/deliveries.ts';
import { type EventSender, eventSender, logSent } from '../../lib/events/event-sender.ts';
import { eventFeed } from '../../lib/events/feed.ts';
import { type MoveEvents, type MoverDeps, outboxMover } from '../../lib/events/feed-positions.ts';
import type { EventFeed } from '../../lib/service/event-feed.ts';
import { publicTransport } from '../../lib/service/http-client/public-transport.ts';
import { allowsLoopbackEvents } from './environment.ts';

/** Loads the opener of deliveries to destinations. Few companies have one, so most processes never load it. */
const openerOfResults = /* @__PURE__ */ lazy(async () =>
  (await import('../../lib/destinations/deliveries.ts')).resultOpener(deliveries(), Date.now),
);

/** Opens the function that moves the events of a company from the outbox to the feed, and opens their deliveries. */
export function openMover(): MoveEvents {
  const openDelivery = sendsEvents() ? eventDeliveryOpener(deliveries(), Date.now) : undefined;
  const openResult: MoverDeps['openResult'] = async (toSend) => (await openerOfResults())(toSend);
  return outboxMover({ store: ledger(), now: Date.now, openDelivery, ...(sendsResults() && { openResult }) });
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
