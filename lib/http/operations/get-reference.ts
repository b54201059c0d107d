import { encodeText } from '../../service/encoded-text.ts';
import { PUBLIC_HEADERS } from '../html.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { REFERENCE_POLICY, referenceHtml } from '../reference-page.ts';

/** Makes the handler of `GET /docs`. */
export function getReference(options: OperationOptions): HttpHandler {
  return operation('getReference', options, async ({ baseUrl }) => {
    const { default: viewer } = await import('#viewer', { with: { type: 'json' } });
    return {
      status: 200,
      headers: { ...PUBLIC_HEADERS, 'Content-Security-Policy': REFERENCE_POLICY },
      html: await encodeText(referenceHtml(viewer.name, baseUrl)),
    };
  });
}
