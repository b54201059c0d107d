import { EventSecretAnswer } from '../contract/answers.ts';
import type { Route } from '../contract/routes.ts';
import type { EventSecrets } from '../credentials/event-secrets.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

export const createEventSecretRoute = {
  id: 'createEventSecret',
  function: 'events',
  method: 'POST',
  path: '/events/secret',
  summary: 'Create the next event secret',
  scope: 'manage',
  query: [],
  body: 'none',
  problems: ['unexpected-body', 'outcome-unknown'],
} as const satisfies Route;

/** Makes the handler of `POST /events/secret`. */
export function createEventSecret(secrets: Pick<EventSecrets, 'rotate'>, options: OperationOptions): OperationHandler {
  return operation(createEventSecretRoute, options, async (request) => {
    const made: EventSecretAnswer = await secrets.rotate(callContext(request).companyId);
    return {
      status: 201,
      headers: { 'Cache-Control': 'no-store' },
      json: await encodeText(JSON.stringify(made)),
      hasEffect: true,
    };
  });
}

export const createEventSecretDocs = (): OperationDocs => ({
  tag: 'Events',
  description:
    'Creates the next secret that signs the events of the company, and shows it once. The previous secret stays valid, so that receivers can change over without a gap.',
  answers: [
    {
      status: 201,
      description: 'The new secret. The company’s previous secret stays live, and an older one ends.',
      schema: EventSecretAnswer,
      example: { secret: 'whsec_…', liveSecrets: 2 } satisfies EventSecretAnswer,
    },
  ],
  schemas: { EventSecret: EventSecretAnswer },
});
