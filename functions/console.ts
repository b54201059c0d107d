import { httpFunction } from '../lib/http/http-function.ts';
import { getConsole } from '../lib/operations/get-console.ts';
import { getConsoleFile } from '../lib/operations/get-console-file.ts';

const options = { now: Date.now };

export const handler = httpFunction([getConsole(options), getConsoleFile(options)]);
