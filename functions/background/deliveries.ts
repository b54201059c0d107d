import { deliveryHandler } from '../../lib/webhooks/delivery-worker.ts';
import { openDeliveryWorker } from '../compose/webhooks.ts';

export const handler = deliveryHandler(await openDeliveryWorker(), { now: Date.now });
