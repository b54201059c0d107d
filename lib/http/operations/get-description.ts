import openApi from '../../contract/openapi.json' with { type: 'json' };
import { routeOf } from '../../contract/routes.ts';
import { encodeText } from '../../service/document.ts';
import { PUBLIC_HEADERS } from '../html.ts';
import { noBody } from '../middleware/no-body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** `GET /openapi.json` */
export function getDescription(options: OperationOptions): HttpHandler {
  return operation(
    routeOf('getDescription'),
    noBody(),
    async ({ baseUrl }) => ({
      status: 200,
      headers: PUBLIC_HEADERS,
      json: await encodeText(JSON.stringify({ ...openApi, servers: [{ url: baseUrl }] })),
    }),
    options,
  );
}
