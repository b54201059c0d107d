import built from '#console' with { type: 'json' };
import { consoleRouteOf } from '../../contract/console.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { CONSOLE_HEADERS } from '../console-headers.ts';
import { type HttpHandler, type OperationOptions, operationAt } from '../operation.ts';

/** A browser asks for the page each time, because the names of the files in it change with each build. */
const HEADERS = { ...CONSOLE_HEADERS, 'Cache-Control': 'no-cache' };

/** Makes the handler of `GET /console`. */
export function getConsole(options: OperationOptions): HttpHandler {
  return operationAt(consoleRouteOf('getConsole'), options, async () => ({
    status: 200,
    headers: HEADERS,
    html: await encodeText(built.html),
  }));
}
