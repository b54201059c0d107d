import { deliveries, requireCompany, sourceSecrets, sources } from '#platform';
import { openChanges } from '#service';
import { type DeliveryWorker, deliveryWorker, logDelivery } from '../../lib/webhooks/delivery-worker.ts';
import { inboxOn } from '../../lib/webhooks/inbox.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import type { ReceiveDeps } from '../../lib/webhooks/receive.ts';

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

/** Opens the worker that maps accepted webhook messages to commands and runs the commands. */
export async function openDeliveryWorker(): Promise<DeliveryWorker> {
  return deliveryWorker({
    store: deliveries(),
    service: await openChanges(),
    mapper: mapper(),
    findSource: (name) => sources().findWithMapping(name),
    requireCompany,
    now: Date.now,
    random: Math.random,
    onAttempt: logDelivery(),
  });
}
