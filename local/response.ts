import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod/mini';
import {
  GATEWAY_RESPONSES,
  type GatewayResponse,
  type GatewayResponseType,
} from '../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { methodNotAllowed, type Occurrence, problemBody, problemHeaders } from '../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../lib/contract/problems.ts';

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
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const HeaderValue = z.union([z.string(), z.number(), z.boolean()]);

/** The result of a function in Lambda proxy integration; API Gateway calls anything else malformed. */
const ProxyResult = z.strictObject({
  statusCode: z.int().check(z.gte(200), z.lte(599)),
  headers: z.nullish(z.record(z.string(), HeaderValue)),
  multiValueHeaders: z.nullish(z.record(z.string(), z.array(HeaderValue))),
  body: z.nullish(z.string()),
  isBase64Encoded: z.nullish(z.boolean()),
});
type ProxyResult = z.infer<typeof ProxyResult>;

/**
 * Reads the result of a function.
 * @throws {GatewayError} INTEGRATION_FAILURE if it is malformed or larger than Lambda allows
 */
export function responseOf(result: unknown): WireResponse {
  const parsed = ProxyResult.safeParse(result);
  if (!parsed.success) throw new GatewayError('INTEGRATION_FAILURE');
  const { body: text, isBase64Encoded, ...rest } = parsed.data;
  const body = isBase64Encoded ? decode(text ?? '') : Buffer.from(text ?? '');
  const headers = mergeHeaders(rest);
  const bodyLength = isBase64Encoded ? (text ?? '').length : jsonLength(body);
  const restLength = Buffer.byteLength(JSON.stringify({ ...rest, body: '', isBase64Encoded }));
  if (restLength + bodyLength > GATEWAY_LIMITS.answerBytes) throw new GatewayError('INTEGRATION_FAILURE');
  return { status: rest.statusCode, headers, body };
}

function decode(base64: string): Buffer {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips characters that are not base64, which only the length shows.
  if (bytes.length !== (base64.length / 4) * 3 - padding) throw new GatewayError('INTEGRATION_FAILURE');
  return bytes;
}

/** The bytes of the longest escape, `\\u0000`. */
const LONGEST_ESCAPE = 6;
/** More than the headers of any response. */
const REST_BYTES = 65_536;

/** The length of a text as a JSON string. Escapes are counted only if they could exceed the limit. */
function jsonLength(utf8: Buffer): number {
  let length = utf8.length;
  if (length > GATEWAY_LIMITS.answerBytes || length * LONGEST_ESCAPE + REST_BYTES < GATEWAY_LIMITS.answerBytes) {
    return length;
  }
  // By index: an iterator over megabytes takes several times as long.
  for (let index = 0; index < utf8.length; index++) {
    const byte = utf8[index] ?? 0;
    if (byte === 0x22 || byte === 0x5c) length += 1;
    else if (byte < 0x20) length += byte >= 0x08 && byte <= 0x0d && byte !== 0x0b ? 1 : 5;
  }
  return length;
}

/** API Gateway sets these headers itself, and passes a function's own on under another name. */
const REMAPPED = new Set(
  (
    'authorization connection content-length content-md5 date expect host max-forwards proxy-authenticate server te ' +
    'trailer transfer-encoding upgrade user-agent via www-authenticate'
  ).split(' '),
);

function mergeHeaders({ headers, multiValueHeaders }: Pick<ProxyResult, 'headers' | 'multiValueHeaders'>) {
  const merged = new Map<string, { readonly name: string; readonly values: Set<string> }>();
  const single = Object.entries(headers ?? {}).map(([name, value]) => [name, [value]] as const);
  for (const [name, values] of [...single, ...Object.entries(multiValueHeaders ?? {})]) {
    const key = name.toLowerCase();
    const entry = merged.get(key) ?? { name: REMAPPED.has(key) ? `x-amzn-Remapped-${name}` : name, values: new Set() };
    merged.set(key, entry);
    for (const value of values) entry.values.add(String(value));
  }
  const entries = [...merged.values()].map(({ name, values }) => [name, [...values]] as const);
  try {
    for (const [name, values] of entries) {
      validateHeaderName(name);
      for (const value of values) validateHeaderValue(name, value);
    }
  } catch (cause) {
    throw new GatewayError('INTEGRATION_FAILURE', { cause });
  }
  return Object.fromEntries(entries);
}

/** The parts of a request that each problem of the gateway repeats. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Scheme, host and port that the client used, without a slash at the end. */
  readonly baseUrl: string;
}

const RESPONSES = new Map<GatewayResponseType, GatewayResponse>(GATEWAY_RESPONSES.map((entry) => [entry.type, entry]));

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
