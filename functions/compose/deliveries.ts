import { deliveries, requireCompany, sources } from '#platform';
import { service } from '#service';
import { deliveryWorker, logFailedAttempt } from '../../lib/webhooks/delivery-worker.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';

/** What works on the deliveries of webhooks. */
export const work = deliveryWorker({
  store: deliveries(),
  service,
  mapper: mapper(),
  findSource: (name) => sources().find(name),
  requireCompany,
  now: Date.now,
  random: Math.random,
  onFailure: logFailedAttempt(),
});
