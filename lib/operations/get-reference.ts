import { REFERENCE_PATH } from '../contract/paths.ts';
import { PUBLIC_READ, type Route } from '../contract/routes.ts';
import { PUBLIC_HEADERS } from '../http/html.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { REFERENCE_POLICY, referenceHtml } from '../http/reference-page.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

export const getReferenceRoute = {
  ...PUBLIC_READ,
  function: 'pages',
  id: 'getReference',
  path: REFERENCE_PATH,
  summary: 'Show the reference page',
  produces: ['text/html'],
} as const satisfies Route;

/** Makes the handler of `GET /docs`. */
export function getReference(options: OperationOptions): OperationHandler {
  return operation(getReferenceRoute, options, async ({ baseUrl }) => {
    const { default: viewer } = await import('#viewer', { with: { type: 'json' } });
    return {
      status: 200,
      headers: { ...PUBLIC_HEADERS, 'Content-Security-Policy': REFERENCE_POLICY },
      html: await encodeText(referenceHtml(viewer.name, baseUrl)),
    };
  });
}

export const getReferenceDocs = (): OperationDocs => ({
  tag: 'About the API',
  description:
    'Returns an HTML page that shows this description in a browser, with samples, search and a client to try requests.',
  answers: [{ status: 200, description: 'The page.', schema: null }],
});
