import { receiveWebhook } from '../lib/webhooks/receive.ts';
import { receiving } from './compose/receiving.ts';

export const handler = receiveWebhook(receiving, { now: Date.now });
