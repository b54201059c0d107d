import built from '#console' with { type: 'json' };
import { getConsoleFileRoute } from '../contract/console.ts';
import { Problem } from '../contract/problem.ts';
import { CONSOLE_HEADERS } from '../http/console-headers.ts';
import { IMMUTABLE } from '../http/html.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';

const HEADERS = { ...CONSOLE_HEADERS, ...IMMUTABLE };

/** Makes the handler of `GET /console/{file}`. */
export function getConsoleFile(options: OperationOptions): OperationHandler {
  return operation(getConsoleFileRoute, options, async ({ segment }) => {
    const file = built.files.find(({ name }) => name === segment('file'));
    if (!file) throw new Problem('route-not-found', { detail: 'The console has no file with this name.' });
    const text = { encoding: 'gzip', bytes: Buffer.from(file.gzip, 'base64'), length: file.length } as const;
    return { status: 200, headers: HEADERS, ...(file.name.endsWith('.css') ? { style: text } : { script: text }) };
  });
}
