import { encodeText } from '../../service/encoded-text.ts';
import { PAGE_HEADERS } from '../html.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { Reference, referenceHtml } from '../reference-page.ts';

/** Makes the handler of `GET /docs`. */
export function getReference(options: OperationOptions): HttpHandler {
  return operation('getReference', options, async ({ baseUrl }) => {
    const { default: openApi } = await import('../../contract/openapi.json', { with: { type: 'json' } });
    const html = await encodeText(referenceHtml(Reference.parse(openApi), baseUrl));
    return { status: 200, headers: PAGE_HEADERS, html };
  });
}
