import built from '#console' with { type: 'json' };
import { consoleRouteOf } from '../../contract/console.ts';
import { Problem } from '../../contract/problem.ts';
import { CONSOLE_HEADERS } from '../console-headers.ts';
import { IMMUTABLE } from '../html.ts';
import { type HttpHandler, type OperationOptions, operationAt } from '../operation.ts';

const HEADERS = { ...CONSOLE_HEADERS, ...IMMUTABLE };

/** Makes the handler of `GET /console/{file}`. */
export function getConsoleFile(options: OperationOptions): HttpHandler {
  return operationAt(consoleRouteOf('getConsoleFile'), options, async ({ segment }) => {
    const file = built.files.find(({ name }) => name === segment('file'));
    if (!file) throw new Problem('route-not-found', { detail: 'The console has no file with this name.' });
    const text = { encoding: 'gzip', bytes: Buffer.from(file.gzip, 'base64'), length: file.length } as const;
    return { status: 200, headers: HEADERS, ...(file.name.endsWith('.css') ? { style: text } : { script: text }) };
  });
}
