import { encodeText } from '../../service/encoded-text.ts';
import { PUBLIC_HEADERS } from '../html.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** `GET /openapi.json` */
export function getDescription(options: OperationOptions): HttpHandler {
  return operation('getDescription', options, async ({ baseUrl }) => {
    // 200 KB that the other pages do without.
    const { default: openApi } = await import('../../contract/openapi.json', { with: { type: 'json' } });
    const json = await encodeText(JSON.stringify({ ...openApi, servers: [{ url: baseUrl }] }));
    return { status: 200, headers: PUBLIC_HEADERS, json };
  });
}
