import type { EventSecretAnswer } from '../../contract/answers.ts';
import type { EventSecrets } from '../../credentials/event-secrets.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** Makes the handler of `POST /events/secret`. */
export function createEventSecret(secrets: Pick<EventSecrets, 'rotate'>, options: OperationOptions): HttpHandler {
  return operation('createEventSecret', options, async (request) => {
    const made: EventSecretAnswer = await secrets.rotate(callContext(request).companyId);
    return {
      status: 201,
      headers: { 'Cache-Control': 'no-store' },
      json: await encodeText(JSON.stringify(made)),
      hasEffect: true,
    };
  });
}
