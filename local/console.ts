import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lazy } from '../lib/contract/lazy.ts';
import { CONSOLE_HEADERS } from '../lib/http/console-headers.ts';
import type { ReceivedRequest } from './event.ts';
import { methodNotAllowedResponse, type WireResponse } from './response.ts';

/** The files of the console by their paths. */
const FILES = {
  '/console': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/console/console.js': { name: 'console.js', type: 'text/javascript; charset=utf-8' },
  '/console/console.css': { name: 'console.css', type: 'text/css; charset=utf-8' },
} as const;

// A browser asks each time whether its copy is current, so a new build shows at once.
const HEADERS = { ...CONSOLE_HEADERS, 'Cache-Control': 'no-cache' };

const METHODS = ['GET', 'HEAD'];

/**
 * Returns a function that answers requests for the console's files. It returns `undefined` for every other path. The
 * first request reads the files.
 * @param folder the URL of the folder that `npm run build:console` writes
 */
export function serveConsole(folder: URL): (received: ReceivedRequest) => WireResponse | undefined {
  const files = lazy(() => new Map(Object.entries(FILES).map(([path, file]) => [path, readFile(folder, file)])));
  return (received) => {
    const { request, target, requestId } = received;
    const file = Object.hasOwn(FILES, target.path) ? files().get(target.path) : undefined;
    if (!file) return undefined;
    if (!METHODS.includes(request.method ?? '')) return methodNotAllowedResponse(METHODS, received);
    const headers = { ...file.headers, 'X-Request-Id': requestId };
    const isCurrent = request.headers['if-none-match'] === headers.ETag;
    return isCurrent ? { status: 304, headers, body: Buffer.alloc(0) } : { status: 200, headers, body: file.body };
  };
}

function readFile(folder: URL, { name, type }: { readonly name: string; readonly type: string }) {
  const body = readFileSync(new URL(name, folder));
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, headers: { ...HEADERS, 'Content-Type': type, ETag: etag } };
}
