import { deliveries, requireCompany, sourceSecrets, sources } from '#platform';
import { service } from '#service';
import { inboxOn } from '../../lib/webhooks/deliveries.ts';
import { type DeliveryWorker, deliveryWorker, logFailedAttempt } from '../../lib/webhooks/delivery-worker.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import type { ReceiveDeps } from '../../lib/webhooks/receive.ts';

/**
 * Opens what a webhook message needs before it is accepted. The first reads make clients ready during the start, whether
 * or not they find anything.
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

/** Opens the worker that maps the accepted messages and runs their commands. */
export function openDeliveryWorker(): DeliveryWorker {
  return deliveryWorker({
    store: deliveries(),
    service,
    mapper: mapper(),
    findSource: (name) => sources().find(name),
    requireCompany,
    now: Date.now,
    random: Math.random,
    onFailure: logFailedAttempt(),
  });
}
