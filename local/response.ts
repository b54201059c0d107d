import type { ServerResponse } from 'node:http';
import {
  GATEWAY_RESPONSES,
  type GatewayResponse,
  type GatewayResponseType,
} from '../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { type Occurrence, Problem } from '../lib/contract/problem.ts';
import type { ProblemType } from '../lib/contract/problems.ts';
import { encodeProblem, type ProxyResult } from '../lib/http/http-result.ts';

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

/** The parts of a request that the gateway's own problems contain. */
export interface RequestOrigin {
  readonly requestId: string;
  /** The scheme, host and port that the client used, without a trailing slash. */
  readonly baseUrl: string;
}

const RESPONSES = new Map<string, GatewayResponse>(GATEWAY_RESPONSES.map((entry) => [entry.type, entry]));

/** Creates the result of a type in `GATEWAY_RESPONSES`. @param detail replaces the detail of that type */
export function gatewayResult(type: GatewayResponseType, origin: RequestOrigin, detail?: string): ProxyResult {
  const response = RESPONSES.get(type);
  if (!response) throw new RangeError(`The contract has no gateway response ${type}`);
  return problemResult(response.problem, { ...response, ...(detail !== undefined && { detail }) }, origin);
}

/** Creates the result of a problem that the gateway finds itself. */
export function problemResult(type: ProblemType, occurrence: Occurrence, origin: RequestOrigin): ProxyResult {
  return encodeProblem(new Problem(type, occurrence), origin.requestId, origin.baseUrl);
}

/** Creates the result for bytes that are not a valid HTTP request. */
export function badSyntaxResult(origin: RequestOrigin): ProxyResult {
  const detail =
    'The request is not valid HTTP, has an unknown method, was sent too slowly, or has more than 16 KB of headers.';
  return problemResult('invalid-header', { detail }, origin);
}

/** The headers that API Gateway sets itself. It passes on those of a function under another name. */
const SET_BY_GATEWAY = /^(?:authorization|connection|content-length|date|expect|host|server|via|www-authenticate)$/i;

/**
 * Returns the result of a Lambda function as API Gateway passes it on.
 * @throws {GatewayError} INTEGRATION_FAILURE if the result is larger than Lambda allows
 */
export function passedOn(result: ProxyResult): ProxyResult {
  const { body, isBase64Encoded } = result;
  // Base64 has nothing to escape.
  const length = isBase64Encoded ? body.length : Buffer.byteLength(JSON.stringify(body)) - 2;
  if (JSON.stringify({ ...result, body: '' }).length + length > GATEWAY_LIMITS.answerBytes) {
    throw new GatewayError('INTEGRATION_FAILURE');
  }
  const headers = Object.entries(result.headers).map(([name, value]) => {
    return [SET_BY_GATEWAY.test(name) ? `x-amzn-Remapped-${name}` : name, value];
  });
  return { ...result, headers: Object.fromEntries(headers) };
}

/** A response in the form in which it is sent. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Decodes the body of a result. The response is kept until the client has it, and the larger result is not. */
export function wireResponse({ statusCode, headers, body, isBase64Encoded }: ProxyResult): WireResponse {
  return { status: statusCode, headers, body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') };
}

/** Sends a response. For a HEAD request, Node sends only the headers. */
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
