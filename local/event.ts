import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import type { AuthorizerContext } from './authorize.ts';
import type { ReceivedHeaders } from './headers.ts';
import type { Match } from './match.ts';
import { type Asked, Refusal } from './refusal.ts';
import { decodedOrRaw, readQuery, type Target } from './target.ts';

/** What the API on this machine is called in events and ARNs. */
export const API = { region: 'local', accountId: '000000000000', apiId: 'local', stage: 'local' } as const;

/** Everything known of a request before its body is read. */
export interface Received extends Asked {
  readonly receivedAtMs: number;
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly headers: ReceivedHeaders;
  /** Host and port the client used. */
  readonly host: string;
}

/**
 * Builds the event of Lambda proxy integration (payload version 1.0) without body and authorizer.
 * @throws {Refusal} BAD_REQUEST_PARAMETERS where the query cannot be decoded
 */
export function eventOf(received: Received, { resource, parameters }: Match): APIGatewayProxyEvent {
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
  { requestId, receivedAtMs, request, target, headers, host }: Received,
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
    identity: { ...NOBODY, sourceIp: request.socket.remoteAddress ?? '', userAgent: headers.userAgent },
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

const NOBODY = {
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

/** Adds what the authorizer found out, with the values as API Gateway passes them on: as text. */
export function withAuthorizer(event: APIGatewayProxyEvent, authorizer: AuthorizerContext): APIGatewayProxyEvent {
  const context = { ...authorizer, integrationLatency: 0 };
  return { ...event, requestContext: { ...event.requestContext, authorizer: context } };
}

/** An event without its body is far smaller than this: headers are at most 16 KB, and each stands in it twice. */
const REST_BYTES = 1_048_576;

/**
 * Adds the body, base64-encoded because every media type counts as binary.
 * @throws {Refusal} REQUEST_TOO_LARGE where the event is larger than a function takes
 */
export function withBody(event: APIGatewayProxyEvent, bytes: Buffer | null): APIGatewayProxyEvent {
  if (bytes === null) return event;
  const encodedLength = Math.ceil(bytes.length / 3) * 4;
  const known = encodedLength + (encodedLength + REST_BYTES > GATEWAY_LIMITS.eventBytes ? restLength(event) : 0);
  if (known > GATEWAY_LIMITS.eventBytes) throw new Refusal('REQUEST_TOO_LARGE');
  return { ...event, body: bytes.toString('base64'), isBase64Encoded: true };
}

function restLength(event: APIGatewayProxyEvent): number {
  return Buffer.byteLength(JSON.stringify({ ...event, body: '', isBase64Encoded: true }));
}
