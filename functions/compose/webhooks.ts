import { deliveries, fetchSecrets, requireCompany, sourceSecrets, sources } from '#platform';
import { openChanges } from '#service';
import { lazy } from '../../lib/contract/lazy.ts';
import { type DeliveryWorker, deliveryWorker, logDelivery } from '../../lib/webhooks/delivery-worker.ts';
import type { FetchEntry } from '../../lib/webhooks/fetch-entry.ts';
import { inboxOn } from '../../lib/webhooks/inbox.ts';
import { type Mapper, mapper } from '../../lib/webhooks/mapping/mapper.ts';
import type { ReceiveDeps } from '../../lib/webhooks/receive.ts';
import { allowsLoopbackEvents } from './environment.ts';

/**
 * Opens the dependencies of the webhook receiver. It first reads a source and a secret that do not exist, and ignores
 * the results. This prepares the clients of both stores before the first message arrives.
 */
export async function openReceiver(): Promise<ReceiveDeps> {
  await Promise.allSettled([sources().find('none'), sourceSecrets()({ secretsAt: 'none' })]);
  return {
    sources: sources(),
    secretsOf: sourceSecrets(),
    requireCompany,
    inbox: inboxOn(deliveries(), { now: Date.now }),
  };
}

/** Opens the function that fetches entries. Only then are its code and the secrets loaded. */
async function openFetch(mapper: Mapper): Promise<FetchEntry> {
  const [{ entryFetcher }, { publicTransports }] = await Promise.all([
    import('../../lib/webhooks/fetch-entry.ts'),
    import('../../lib/service/http-client/public-transport.ts'),
  ]);
  return entryFetcher({
    mapper,
    secretsOf: (owner) => fetchSecrets()(owner),
    transportWith: publicTransports(allowsLoopbackEvents()),
    now: Date.now,
  });
}

/** Opens the worker that maps accepted webhook messages to commands and runs the commands. */
export async function openDeliveryWorker(): Promise<DeliveryWorker> {
  const ours = mapper();
  return deliveryWorker({
    store: deliveries(),
    service: await openChanges(),
    mapper: ours,
    openFetch: lazy(() => openFetch(ours)),
    findSource: (name) => sources().findWithMapping(name),
    requireCompany,
    now: Date.now,
    random: Math.random,
    onAttempt: logDelivery(),
  });
}
