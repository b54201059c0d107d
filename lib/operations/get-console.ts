import built from '#console' with { type: 'json' };
import { getConsoleRoute } from '../contract/console.ts';
import { CONSOLE_HEADERS } from '../http/console-headers.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';

/** A browser asks for the page each time, because the names of the files in it change with each build. */
const HEADERS = { ...CONSOLE_HEADERS, 'Cache-Control': 'no-cache' };

/** Makes the handler of `GET /console`. */
export function getConsole(options: OperationOptions): OperationHandler {
  return operation(getConsoleRoute, options, async () => ({
    status: 200,
    headers: HEADERS,
    html: await encodeText(built.html),
  }));
}
