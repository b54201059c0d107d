import { Problem } from '../../contract/problem.ts';
import { IMMUTABLE } from '../html.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** Makes the handler of `GET /docs/{file}`. */
export function getReferenceFile(options: OperationOptions): HttpHandler {
  return operation('getReferenceFile', options, async ({ segment }) => {
    // Load the 1.7 MB of the viewer only when needed: this Lambda function also serves other operations.
    const { default: viewer } = await import('#viewer', { with: { type: 'json' } });
    if (segment('file') !== viewer.name) {
      throw new Problem('route-not-found', { detail: 'The reference page has no file with this name.' });
    }
    const bytes = Buffer.from(viewer.gzip, 'base64');
    return { status: 200, headers: IMMUTABLE, script: { encoding: 'gzip', bytes, length: viewer.length } };
  });
}
