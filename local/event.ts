import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { GatewayError, type RequestOrigin } from './response.ts';
import { decodedOrRaw, type RouteMatch, readQuery, splitTarget, type Target } from './target.ts';

/** The name of the API on this machine in events and ARNs. */
export const API = { region: 'local', accountId: '000000000000', apiId: 'local', stage: 'local' } as const;

/** Everything known of a request before its body is read. */
export interface ReceivedRequest extends RequestOrigin {
  readonly receivedAtMs: number;
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly headers: EventHeaders;
  /** Host and port that the client used; `undefined` if its `Host` header is missing or cannot stand in a URL. */
  readonly host: string | undefined;
}

/** Request headers, their names as received. */
interface EventHeaders {
  readonly last: Record<string, string>;
  readonly all: Record<string, string[]>;
  /** Every value of `Authorization`, whatever its case. */
  readonly authorization: readonly string[];
  readonly userAgent: string | null;
}

/** Reads what a request's head says. */
export function receivedRequest(request: IncomingMessage, receivedAtMs: number): ReceivedRequest {
  const address = `127.0.0.1:${request.socket.localPort ?? 0}`;
  const { host = request.httpVersion === '1.0' ? address : '', ...headers } = readHeaders(request);
  const isValid = isHost(host);
  return {
    requestId: randomUUID(),
    baseUrl: `http://${isValid ? host : address}`,
    receivedAtMs,
    request,
    target: splitTarget(request.url ?? ''),
    headers,
    host: isValid ? host : undefined,
  };
}

/** Whether a host, with or without a port, can stand in a URL. */
function isHost(host: string): boolean {
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);
}

/** Reads a request's headers, and adds `X-Forwarded-For`, `-Port` and `-Proto`. */
function readHeaders({ rawHeaders, socket }: IncomingMessage): EventHeaders & { readonly host: string | undefined } {
  const all = new Map<string, string[]>();
  const authorization: string[] = [];
  const forwardedFor: string[] = [];
  let userAgent: string | null = null;
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    switch (name.toLowerCase()) {
      case 'x-forwarded-for':
        forwardedFor.push(value);
        continue;
      case 'x-forwarded-port':
      case 'x-forwarded-proto':
        continue;
      case 'authorization':
        authorization.push(value);
        break;
      case 'user-agent':
        userAgent = value;
        break;
      case 'host':
        // Two hosts are invalid: nobody could say which one is meant.
        host = host === undefined ? value : `${host}, ${value}`;
        break;
    }
    const values = all.get(name);
    if (values) values.push(value);
    else all.set(name, [value]);
  }
  all.set('X-Forwarded-For', [[...forwardedFor, socket.remoteAddress ?? ''].join(', ')]);
  all.set('X-Forwarded-Port', [String(socket.localPort)]);
  all.set('X-Forwarded-Proto', ['http']);
  const last = [...all].map(([name, values]) => [name, values.at(-1) ?? '']);
  // fromEntries makes own properties even of names such as __proto__.
  return { last: Object.fromEntries(last), all: Object.fromEntries(all), authorization, userAgent, host };
}

/**
 * Builds the event of Lambda proxy integration (payload version 1.0) without body and authorizer.
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS if the query cannot be decoded
 */
export function eventOf(received: ReceivedRequest, { resource, parameters }: RouteMatch): APIGatewayProxyEvent {
  const { headers, target, request } = received;
  const query = readQuery(target.query);
  const decoded = parameters.map(([name, value]) => [name, decodedOrRaw(value)]);
  return {
    resource: resource.path,
    path: target.path,
    httpMethod: request.method ?? '',
    headers: headers.last,
    multiValueHeaders: headers.all,
    queryStringParameters: query?.last ?? null,
    multiValueQueryStringParameters: query?.all ?? null,
    pathParameters: decoded.length > 0 ? Object.fromEntries(decoded) : null,
    stageVariables: null,
    requestContext: requestContextOf(received, resource.path),
    body: null,
    isBase64Encoded: false,
  };
}

function requestContextOf(
  { requestId, receivedAtMs, request, target, headers, host = '' }: ReceivedRequest,
  resourcePath: string,
): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: API.accountId,
    apiId: API.apiId,
    authorizer: undefined,
    domainName: host,
    domainPrefix: host,
    extendedRequestId: requestId,
    httpMethod: request.method ?? '',
    identity: { ...NO_IDENTITY, sourceIp: request.socket.remoteAddress ?? '', userAgent: headers.userAgent },
    path: target.path,
    protocol: `HTTP/${request.httpVersion}`,
    requestId,
    requestTime: requestTime(receivedAtMs),
    requestTimeEpoch: receivedAtMs,
    resourceId: resourcePath,
    resourcePath,
    stage: API.stage,
  };
}

/** API Gateway fills in these for IAM and Cognito only. */
const NO_IDENTITY = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
} as const;

/** The common log format: 20/Nov/2026:12:34:56 +0000. */
function requestTime(ms: number): string {
  const [, day, month, year, time] = new Date(ms).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Adds the values of the authorizer. */
export function withAuthorizer(
  event: APIGatewayProxyEvent,
  authorizer: Readonly<Record<string, string>>,
): APIGatewayProxyEvent {
  const context = { ...authorizer, integrationLatency: 0 };
  return { ...event, requestContext: { ...event.requestContext, authorizer: context } };
}

/** More than an event without its body: headers are at most 16 KB, and each stands in it twice. */
const REST_BYTES = 1_048_576;

/**
 * Adds the body, base64-encoded because every media type counts as binary.
 * @throws {GatewayError} REQUEST_TOO_LARGE if the event is larger than Lambda allows
 */
export function withBody(event: APIGatewayProxyEvent, bytes: Buffer | null): APIGatewayProxyEvent {
  if (bytes === null) return event;
  const encodedLength = Math.ceil(bytes.length / 3) * 4;
  const known = encodedLength + (encodedLength + REST_BYTES > GATEWAY_LIMITS.eventBytes ? restLength(event) : 0);
  if (known > GATEWAY_LIMITS.eventBytes) throw new GatewayError('REQUEST_TOO_LARGE');
  return { ...event, body: bytes.toString('base64'), isBase64Encoded: true };
}

function restLength(event: APIGatewayProxyEvent): number {
  return Buffer.byteLength(JSON.stringify({ ...event, body: '', isBase64Encoded: true }));
}
