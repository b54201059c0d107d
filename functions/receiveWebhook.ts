import { httpFunction } from '../lib/http/http-function.ts';
import { receiveWebhook } from '../lib/webhooks/receive.ts';
import { openReceiver } from './compose/webhooks.ts';

const receiver = await openReceiver();

export const handler = httpFunction('receiveWebhook', { receiveWebhook: receiveWebhook(receiver, { now: Date.now }) });
