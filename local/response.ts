import type { ServerResponse } from 'node:http';
import {
  GATEWAY_RESPONSES,
  type GatewayResponse,
  type GatewayResponseType,
} from '../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { PROBLEMS_PATH } from '../lib/contract/paths.ts';
import { methodNotAllowed, type Occurrence, problemBody, problemHeaders } from '../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../lib/contract/problems.ts';
import type { ProxyResult } from '../lib/http/http-result.ts';

/** The error for a request that the gateway answers itself. Its name is a type in `GATEWAY_RESPONSES`. */
export class GatewayError extends Error {
  override readonly name: GatewayResponseType;
  /** Replaces the detail that `GATEWAY_RESPONSES` gives for the type. */
  readonly detail: string | undefined;

  constructor(name: GatewayResponseType, { detail, ...options }: ErrorOptions & { readonly detail?: string } = {}) {
    super(name, options);
    this.name = name;
    this.detail = detail;
  }
}

/** A response in the form in which it is sent. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The length of text that surely fits into an answer, even if JSON writes every character as `\\u0000`. */
const SURELY_FITS = Math.floor(GATEWAY_LIMITS.answerBytes / 6) - 65_536;

/**
 * Returns the length of a result as JSON. Only a long text is counted exactly: base64 has nothing to escape, and a
 * short text always fits.
 */
function lengthOf({ body, ...rest }: ProxyResult): number {
  const isCounted = !rest.isBase64Encoded && body.length > SURELY_FITS;
  return (
    JSON.stringify({ ...rest, body: '' }).length +
    (isCounted ? Buffer.byteLength(JSON.stringify(body)) - 2 : body.length)
  );
}

/**
 * Converts the result of a Lambda function to a response.
 * @throws {GatewayError} INTEGRATION_FAILURE if the result is larger than Lambda allows
 */
export function responseOf(result: ProxyResult): WireResponse {
  const { statusCode: status, headers, body, isBase64Encoded } = result;
  if (lengthOf(result) > GATEWAY_LIMITS.answerBytes) throw new GatewayError('INTEGRATION_FAILURE');
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [remapped(name), value])),
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/**
 * Returns the name under which API Gateway passes on a function's header. It renames the headers that it sets itself.
 */
function remapped(name: string): string {
  const isSet = /^(?:authorization|connection|content-length|date|expect|host|server|via|www-authenticate)$/i.test(
    name,
  );
  return isSet ? `x-amzn-Remapped-${name}` : name;
}

/** The parts of a request that the gateway's own problems contain. */
export interface RequestOrigin {
  readonly requestId: string;
  /** The scheme, host and port that the client used, without a trailing slash. */
  readonly baseUrl: string;
}

const RESPONSES = new Map<string, GatewayResponse>(GATEWAY_RESPONSES.map((entry) => [entry.type, entry]));

/** Creates the response of a type in `GATEWAY_RESPONSES`. @param detail replaces the detail of that type */
export function gatewayResponse(type: GatewayResponseType, origin: RequestOrigin, detail?: string): WireResponse {
  const response = RESPONSES.get(type);
  if (!response) throw new RangeError(`The contract has no gateway response ${type}`);
  return problemResponse(response.problem, detail === undefined ? response : { ...response, detail }, origin);
}

/** Creates the 405 response for a path that exists but does not have the method. On AWS, the `ANY` method sends it. */
export function methodNotAllowedResponse(allow: readonly string[], origin: RequestOrigin): WireResponse {
  return problemResponse('method-not-allowed', methodNotAllowed(allow), origin);
}

/** Creates the response to bytes that are not a valid HTTP request. */
export function badSyntaxResponse(origin: RequestOrigin): WireResponse {
  const detail =
    'The request is not valid HTTP, has an unknown method, was sent too slowly, or has more than 16 KB of headers.';
  return problemResponse('invalid-header', { detail }, origin);
}

function problemResponse(type: ProblemType, occurrence: Occurrence, origin: RequestOrigin): WireResponse {
  const body = problemBody(type, occurrence, origin.baseUrl + PROBLEMS_PATH, origin.requestId);
  return {
    status: PROBLEMS[type].status,
    headers: { 'X-Request-Id': origin.requestId, ...problemHeaders(type, occurrence) },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Sends a response. For a HEAD request, only the headers are sent. */
export function sendResponse(response: ServerResponse, { status, headers, body }: WireResponse): void {
  const bodiless = status === 204 || status === 304;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!bodiless) {
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', body.length);
  }
  response.writeHead(status);
  response.end(bodiless ? undefined : body);
}
