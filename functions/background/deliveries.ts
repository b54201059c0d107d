import { deliveryWorker } from '../../lib/webhooks/delivery-worker.ts';
import { work } from '../compose/deliveries.ts';

export const handler = deliveryWorker(work, { now: Date.now });
