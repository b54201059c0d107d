import { routeOf } from '../../contract/routes.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { PAGE_HEADERS } from '../html.ts';
import { noBody } from '../middleware/body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { Reference, referenceHtml } from '../reference-page.ts';

/** `GET /docs` */
export function getReference(options: OperationOptions): HttpHandler {
  return operation(
    routeOf('getReference'),
    noBody(),
    async ({ baseUrl }) => {
      const { default: openApi } = await import('../../contract/openapi.json', { with: { type: 'json' } });
      const html = await encodeText(referenceHtml(Reference.parse(openApi), baseUrl));
      return { status: 200, headers: PAGE_HEADERS, html };
    },
    options,
  );
}
