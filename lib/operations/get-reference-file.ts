import { REFERENCE_PATH } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import { PUBLIC_READ, type Route } from '../contract/routes.ts';
import { IMMUTABLE } from '../http/html.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

export const getReferenceFileRoute = {
  ...PUBLIC_READ,
  function: 'pages',
  id: 'getReferenceFile',
  path: `${REFERENCE_PATH}/{file}`,
  summary: 'Get a file of the reference page',
  produces: ['text/javascript'],
  problems: ['route-not-found', 'unexpected-body'],
} as const satisfies Route;

/** Makes the handler of `GET /docs/{file}`. */
export function getReferenceFile(options: OperationOptions): OperationHandler {
  return operation(getReferenceFileRoute, options, async ({ segment }) => {
    // Load the 1.7 MB of the viewer only when needed: this Lambda function also serves other operations.
    const { default: viewer } = await import('#viewer', { with: { type: 'json' } });
    if (segment('file') !== viewer.name) {
      throw new Problem('route-not-found', { detail: 'The reference page has no file with this name.' });
    }
    const bytes = Buffer.from(viewer.gzip, 'base64');
    return { status: 200, headers: IMMUTABLE, script: { encoding: 'gzip', bytes, length: viewer.length } };
  });
}

export const getReferenceFileDocs = (): OperationDocs => ({
  tag: 'About the API',
  description: 'Returns the script of the reference page. Its name changes with its content, so caches may keep it.',
  answers: [{ status: 200, description: 'The script.', schema: null }],
});
