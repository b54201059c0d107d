import type { EventSecretAnswer } from '../contract/answers.ts';
import type { Route } from '../contract/routes.ts';
import type { EventSecrets } from '../credentials/event-secrets.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';

export const createEventSecretRoute = {
  id: 'createEventSecret',
  function: 'events',
  method: 'POST',
  path: '/events/secret',
  summary: 'Create the next event secret',
  scope: 'manage',
  query: [],
  body: 'none',
  success: [201],
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
