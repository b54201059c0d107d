import type { HealthAnswer } from '../../contract/answers.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

const UP: HealthAnswer = { status: 'ok' };

/** Makes the handler of `GET /health`. */
export function health(options: OperationOptions): HttpHandler {
  return operation('health', options, async () => ({ status: 200, json: await encodeText(JSON.stringify(UP)) }));
}
