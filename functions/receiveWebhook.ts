import { httpFunction } from '../lib/http/http-function.ts';
import { receiveWebhook } from '../lib/webhooks/receive.ts';
import { receiving } from './compose/receiving.ts';

export const handler = httpFunction('receiveWebhook', { receiveWebhook: receiveWebhook(receiving, { now: Date.now }) });
