import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestOrigin } from './response.ts';
import { readQuery, splitTarget, type Target } from './target.ts';

/** The event of a Lambda proxy integration (payload version 1.0), with the fields that Segue's functions read. */
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
    readonly extendedRequestId: string;
    readonly path: string;
    readonly domainName: string;
    readonly identity: { readonly sourceIp: string };
    readonly authorizer?: Readonly<Record<string, unknown>>;
  };
}

/** The parts of a request that are known before its body is read. */
export interface ReceivedRequest extends RequestOrigin {
  readonly request: IncomingMessage;
  readonly target: Target;
  /** The host and port that the client used. `undefined` if the `Host` header is missing or cannot be part of a URL. */
  readonly host: string | undefined;
  /** Every value of the header `Authorization`. */
  readonly authorization: readonly string[];
}

/** Returns the gateway's own host and port, as in a URL. */
export function addressOf(socket: Duplex): string {
  return `127.0.0.1:${(socket instanceof Socket ? socket.localPort : undefined) ?? 0}`;
}

/** Reads the request line and the headers of a request. */
export function receivedRequest(request: IncomingMessage): ReceivedRequest {
  const address = addressOf(request.socket);
  const hosts = valuesOf(request, 'host');
  // Several `Host` headers are invalid, because nobody could say which of them counts.
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

/** Whether a host, with or without a port, can be part of a URL. */
function isHost(host: string): boolean {
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);
}

/**
 * Returns all values of a header. Node's `headersDistinct` has them too, but before Node 24.14.1 it throws if a header
 * is named `__proto__`.
 */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/**
 * Returns all values of each header by the name as received. Adds `X-Forwarded-For`, `X-Forwarded-Port` and
 * `X-Forwarded-Proto`.
 */
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
 * Creates the event of a request, without its body and the authorizer's values.
 * @param resource the path of the route, with its parameters in braces
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
      extendedRequestId: requestId,
      path: target.path,
      domainName: host,
      identity: { sourceIp: request.socket.remoteAddress ?? '' },
    },
  };
}

/** Returns the last value of each name. Names such as `__proto__` become own properties too. */
function lastOf(values: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries([...values].map(([name, all]) => [name, all.at(-1) ?? '']));
}

/** Returns the event with the authorizer's values. */
export function withAuthorizer(event: GatewayEvent, context: Readonly<Record<string, string>>): GatewayEvent {
  const authorizer = { ...context, integrationLatency: 0 };
  return { ...event, requestContext: { ...event.requestContext, authorizer } };
}

/** Returns the event with the body. The body is base64-encoded, because the API treats every media type as binary. */
export function withBody(event: GatewayEvent, bytes: Buffer | null): GatewayEvent {
  return bytes === null ? event : { ...event, body: bytes.toString('base64'), isBase64Encoded: true };
}
