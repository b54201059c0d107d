import { deliveryHandler } from '../../lib/webhooks/delivery-worker.ts';
import { openDeliveryWorker } from '../compose/webhooks.ts';

export const handler = deliveryHandler(openDeliveryWorker(), { now: Date.now });
