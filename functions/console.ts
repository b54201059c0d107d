import { CONSOLE_ROUTES } from '../lib/contract/console.ts';
import { functionOf } from '../lib/http/http-function.ts';
import { getConsole } from '../lib/http/operations/get-console.ts';
import { getConsoleFile } from '../lib/http/operations/get-console-file.ts';

const options = { now: Date.now };

export const handler = functionOf('console', CONSOLE_ROUTES, {
  getConsole: getConsole(options),
  getConsoleFile: getConsoleFile(options),
});
