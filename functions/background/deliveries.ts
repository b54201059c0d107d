import { deliveryHandler } from '../../lib/webhooks/delivery-worker.ts';
import { work } from '../compose/deliveries.ts';

export const handler = deliveryHandler(work, { now: Date.now });
