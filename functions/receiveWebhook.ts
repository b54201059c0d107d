import { httpFunction } from '../lib/http/http-function.ts';
import { receiveWebhook } from '../lib/operations/receive-webhook.ts';
import { openReceiver } from './compose/webhooks.ts';

const receiver = await openReceiver();

export const handler = httpFunction([receiveWebhook(receiver, { now: Date.now })]);
