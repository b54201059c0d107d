import { deliveryWorker } from '../../lib/doors/webhook/work.ts';
import { work } from '../compose/deliveries.ts';

export const handler = deliveryWorker(work, { now: Date.now });
