import { DeliveryAccepted, UrlTested } from '../contract/answers.ts';
import { WEBHOOKS_PATH } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import { BODY_LIMITS, type Route } from '../contract/routes.ts';
import type { RequestMiddleware } from '../http/http-result.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import { type ReceiveDeps, receive } from '../webhooks/receive.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

export const receiveWebhookRoute = {
  id: 'receiveWebhook',
  function: 'receiveWebhook',
  method: 'POST',
  path: `${WEBHOOKS_PATH}/{source}`,
  summary: 'Receive a webhook message',
  scope: null,
  query: [],
  // Some sources allow a parameter with a secret.
  checksQuery: true,
  body: 'message',
  problems: [
    'too-large',
    'source-not-found',
    'invalid-signature',
    'company-suspended',
    'idempotency-key-reused',
    'outcome-unknown',
  ],
} as const satisfies Route;

/** Makes the handler of `POST /webhooks/{source}`. */
export function receiveWebhook(deps: ReceiveDeps, options: OperationOptions): OperationHandler {
  const { now } = options;
  return operation(receiveWebhookRoute, { ...options, body: messageBody() }, async (request) => {
    const { status, answer } = await receive(request, deps, now());
    return { status, json: await encodeText(JSON.stringify(answer)), hasEffect: status === 202 };
  });
}

/** Reads the body of a message as the received bytes, because the signature covers these bytes. */
const messageBody = (): RequestMiddleware => ({
  before({ event }) {
    const { text, isBase64 } = event.received ?? { text: '', isBase64: true };
    const bytes = Buffer.from(text, isBase64 ? 'base64' : 'utf8');
    const { maxBytes } = BODY_LIMITS.message;
    event.bodyBytes = bytes.length;
    if (bytes.length > maxBytes) {
      throw new Problem('too-large', { detail: `The webhook message has more than ${maxBytes} bytes.` });
    }
    event.body = bytes;
  },
});

export const receiveWebhookDocs = (): OperationDocs => ({
  tag: 'Webhook sources',
  description:
    'Accepts a signed message of a webhook source and stores it. Segue processes the message later, and creates or deletes a project. The signature replaces other credentials.',
  answers: [
    {
      status: 200,
      description: 'The message only tests the URL, as WooCommerce and Slack do. Nothing is stored.',
      schema: UrlTested,
      example: { challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' } satisfies UrlTested,
    },
    {
      status: 202,
      description: 'The message is stored and will be processed.',
      schema: DeliveryAccepted,
      example: { deliveryId: example.started.operationId } satisfies DeliveryAccepted,
    },
  ],
  schemas: { DeliveryAccepted, UrlTested },
  clientTypes: { DeliveryAccepted: null, UrlTested: null },
});
