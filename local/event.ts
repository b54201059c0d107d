import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from './response.ts';
import { readQuery, splitTarget, type Target } from './target.ts';

/** An event of Lambda proxy integration (payload version 1.0), as far as Segue's functions read it. */
export interface GatewayEvent {
  readonly resource: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders: Readonly<Record<string, readonly string[]>>;
  readonly queryStringParameters: Readonly<Record<string, string>> | null;
  readonly multiValueQueryStringParameters: Readonly<Record<string, readonly string[]>> | null;
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
  readonly requestContext: {
    readonly requestId: string;
    readonly path: string;
    readonly domainName: string;
    readonly identity: { readonly sourceIp: string };
    readonly authorizer?: Readonly<Record<string, unknown>>;
  };
}

/** Everything known of a request before its body is read. */
export interface ReceivedRequest extends RequestOrigin {
  readonly request: IncomingMessage;
  readonly target: Target;
  /** Host and port that the client used; `undefined` if its `Host` header is missing or cannot stand in a URL. */
  readonly host: string | undefined;
  /** Every value of `Authorization`. */
  readonly authorization: readonly string[];
}

/** Reads what a request's head says. */
export function receivedRequest(request: IncomingMessage): ReceivedRequest {
  const address = `127.0.0.1:${request.socket.localPort ?? 0}`;
  const hosts = valuesOf(request, 'host');
  // Two hosts are invalid: nobody could say which one is meant.
  const host = hosts.length === 0 && request.httpVersion === '1.0' ? address : hosts.join();
  const isValid = isHost(host);
  return {
    requestId: randomUUID(),
    baseUrl: `http://${isValid ? host : address}`,
    request,
    target: splitTarget(request.url ?? ''),
    host: isValid ? host : undefined,
    authorization: valuesOf(request, 'authorization'),
  };
}

/** Whether a host, with or without a port, can stand in a URL. */
function isHost(host: string): boolean {
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);
}

/** All values of a header. Before Node 24.14.1, a header named `__proto__` makes `headersDistinct` throw. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** Reads all values of each header, its name as received, and adds `X-Forwarded-For`, `-Port` and `-Proto`. */
function readHeaders(request: IncomingMessage): Map<string, string[]> {
  const { rawHeaders, socket } = request;
  const headers = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (/^x-forwarded-(?:for|port|proto)$/i.test(name)) continue;
    const value = rawHeaders[index + 1] ?? '';
    const values = headers.get(name);
    if (values) values.push(value);
    else headers.set(name, [value]);
  }
  const senders = [...valuesOf(request, 'x-forwarded-for'), socket.remoteAddress ?? ''];
  headers.set('X-Forwarded-For', [senders.join(', ')]);
  headers.set('X-Forwarded-Port', [String(socket.localPort)]);
  return headers.set('X-Forwarded-Proto', ['http']);
}

/**
 * Builds the event of a request without body and authorizer.
 * @param resource the path of the route
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS if the query cannot be decoded
 */
export function eventOf({ requestId, request, target, host = '' }: ReceivedRequest, resource: string): GatewayEvent {
  const headers = readHeaders(request);
  const query = readQuery(target.query);
  return {
    resource,
    path: target.path,
    httpMethod: request.method ?? '',
    headers: lastOf(headers),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: query && lastOf(query),
    multiValueQueryStringParameters: query && Object.fromEntries(query),
    body: null,
    isBase64Encoded: false,
    requestContext: {
      requestId,
      path: target.path,
      domainName: host,
      identity: { sourceIp: request.socket.remoteAddress ?? '' },
    },
  };
}

/** The last value of each name. Own properties even of names such as `__proto__`. */
function lastOf(values: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries([...values].map(([name, all]) => [name, all.at(-1) ?? '']));
}

/** Adds the values of the authorizer. */
export function withAuthorizer(event: GatewayEvent, context: Readonly<Record<string, string>>): GatewayEvent {
  const authorizer = { ...context, integrationLatency: 0 };
  return { ...event, requestContext: { ...event.requestContext, authorizer } };
}

/** Adds the body, base64-encoded because every media type counts as binary. */
export function withBody(event: GatewayEvent, bytes: Buffer | null): GatewayEvent {
  return bytes === null ? event : { ...event, body: bytes.toString('base64'), isBase64Encoded: true };
}
