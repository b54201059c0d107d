import { routeOf } from '../lib/contract/routes.ts';
import { preferredType } from '../lib/http/negotiation.ts';
import type { Answer } from './answer.ts';
import type { Received } from './event.ts';

/** Leads a browser that opens the bare URL to the reference page; `undefined` for every other request. */
export function referenceRedirect({ request, target, requestId }: Received): Answer | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  if (target.path !== '/' || target.query) return undefined;
  if (preferredType(request.headers.accept, ['application/json', 'text/html']) !== 'text/html') return undefined;
  const headers = {
    Location: routeOf('getReference').path,
    Vary: 'Accept',
    'Content-Type': 'text/html',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
  };
  return { status: 302, headers, body: Buffer.alloc(0) };
}
