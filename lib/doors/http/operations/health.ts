import { routeOf } from '../../../contract/routes.ts';
import { encodeJson } from '../../../service/document.ts';
import { noBody } from '../middleware/no-body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** `GET /health` */
export function health(options?: OperationOptions): HttpHandler {
  return operation(
    routeOf('health'),
    noBody(),
    async () => ({ status: 200, json: await encodeJson('{"status":"ok"}') }),
    options,
  );
}
