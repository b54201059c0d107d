import type { HealthAnswer } from '../../contract/answers.ts';
import { routeOf } from '../../contract/routes.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { noBody } from '../middleware/body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

const UP: HealthAnswer = { status: 'ok' };

/** `GET /health` */
export function health(options: OperationOptions): HttpHandler {
  return operation(
    routeOf('health'),
    noBody(),
    async () => ({ status: 200, json: await encodeText(JSON.stringify(UP)) }),
    options,
  );
}
