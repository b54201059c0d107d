import type { ServerResponse } from 'node:http';
import {
  GATEWAY_RESPONSES,
  type GatewayResponse,
  type GatewayResponseType,
} from '../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { methodNotAllowed, type Occurrence, problemBody, problemHeaders } from '../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../lib/contract/problems.ts';
import type { ProxyResult } from '../lib/http/http-result.ts';

/** The gateway answers in place of a function. The error's name is the name of API Gateway's response. */
export class GatewayError extends Error {
  override readonly name: GatewayResponseType;
  /** Replaces the detail of the gateway response. */
  readonly detail: string | undefined;

  constructor(name: GatewayResponseType, { detail, ...options }: ErrorOptions & { readonly detail?: string } = {}) {
    super(name, options);
    this.name = name;
    this.detail = detail;
  }
}

/** A response as it goes onto the wire. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A text that is not longer fits, even if every character is written as `\\u0000`. */
const SURELY_FITS = Math.floor(GATEWAY_LIMITS.answerBytes / 6) - 65_536;

/** The length of a result as JSON. Base64 has nothing to escape, and a short text is not worth counting. */
function lengthOf({ body, ...rest }: ProxyResult): number {
  const isCounted = !rest.isBase64Encoded && body.length > SURELY_FITS;
  return (
    JSON.stringify({ ...rest, body: '' }).length +
    (isCounted ? Buffer.byteLength(JSON.stringify(body)) - 2 : body.length)
  );
}

/** Reads the result of a function. @throws {GatewayError} INTEGRATION_FAILURE if it is larger than Lambda allows */
export function responseOf(result: ProxyResult): WireResponse {
  const { statusCode: status, headers, body, isBase64Encoded } = result;
  if (lengthOf(result) > GATEWAY_LIMITS.answerBytes) throw new GatewayError('INTEGRATION_FAILURE');
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [remapped(name), value])),
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** API Gateway sets these headers itself, and passes a function's own on under another name. */
function remapped(name: string): string {
  const isSet = /^(?:authorization|connection|content-length|date|expect|host|server|via|www-authenticate)$/i.test(
    name,
  );
  return isSet ? `x-amzn-Remapped-${name}` : name;
}

/** The parts of a request that each problem of the gateway repeats. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Scheme, host and port that the client used, without a slash at the end. */
  readonly baseUrl: string;
}

const RESPONSES = new Map<string, GatewayResponse>(GATEWAY_RESPONSES.map((entry) => [entry.type, entry]));

/** Makes the response of one of the contract's gateway responses. @param detail replaces the contract's detail */
export function gatewayResponse(type: GatewayResponseType, origin: RequestOrigin, detail?: string): WireResponse {
  const response = RESPONSES.get(type);
  if (!response) throw new RangeError(`There is no gateway response ${type}`);
  return problemResponse(response.problem, detail === undefined ? response : { ...response, detail }, origin);
}

/** Makes the response of the stack's ANY method: the path exists, the method does not. */
export function methodNotAllowedResponse(allow: readonly string[], origin: RequestOrigin): WireResponse {
  return problemResponse('method-not-allowed', methodNotAllowed(allow), origin);
}

/** Makes the response to bytes that are not an HTTP request. */
export function badSyntaxResponse(origin: RequestOrigin): WireResponse {
  const detail = 'The request is not valid HTTP, is too slow, or has too large headers.';
  return problemResponse('invalid-header', { detail }, origin);
}

function problemResponse(type: ProblemType, occurrence: Occurrence, origin: RequestOrigin): WireResponse {
  const body = problemBody(type, occurrence, `${origin.baseUrl}/problems`, origin.requestId);
  return {
    status: PROBLEMS[type].status,
    headers: { 'X-Request-Id': origin.requestId, ...problemHeaders(occurrence) },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Writes a response. A HEAD request gets its headers alone. */
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
