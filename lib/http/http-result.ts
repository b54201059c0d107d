import type { MiddlewareObj } from '@middy/core';
import type { OperationStarted } from '../contract/answers.ts';
import { undeliverable } from '../contract/failures.ts';
import { TRANSPORT_SECURITY } from '../contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../contract/limits.ts';
import { oauthErrorBody, oauthErrorHeaders } from '../contract/oauth.ts';
import { OPERATIONS_PATH, PROBLEMS_PATH } from '../contract/paths.ts';
import { Problem, problemHeaders } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { decodeText, type EncodedText, encodeText } from '../service/encoded-text.ts';
import { acceptsGzip } from './negotiation.ts';
import type { HttpRequest } from './request.ts';

/** The result of an operation. */
export interface HttpResult {
  /** The HTTP status. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, if it is JSON. */
  readonly json?: EncodedText;
  /** The body, if it is an HTML page. */
  readonly html?: EncodedText;
  /** The body, if it is plain text. */
  readonly text?: EncodedText;
  /** The body, if it is a script. */
  readonly script?: EncodedText;
  /** The body, if it is a style sheet. */
  readonly style?: EncodedText;
  /** Whether the request changed something. If so, a result that fits only with gzip is sent to every client. */
  readonly hasEffect?: boolean;
}

/** The result of a Lambda function, as API Gateway expects it. */
export interface ProxyResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** A middleware around an operation. */
export type RequestMiddleware = MiddlewareObj<HttpRequest, ProxyResult>;

/** The space that a Lambda result reserves for everything except its body, in bytes. */
const ENVELOPE_BYTES = 8_192;
/** The size of the largest body that fits into a Lambda result as base64: in bytes, before the base64 encoding. */
export const MAX_ANSWER_BYTES = Math.floor(((GATEWAY_LIMITS.answerBytes - ENVELOPE_BYTES) * 3) / 4);

/**
 * Encodes a result for API Gateway, with gzip if the client accepts it. If the request changed something, a result that
 * fits only with gzip is sent with gzip in any case.
 * @throws {Problem} `outcome-unknown` if the result is too large and the request changed something
 * @throws {Problem} `not-acceptable` if the result is too large and the request changed nothing
 */
export function encodeResult(request: HttpRequest, result: HttpResult): ProxyResult {
  const { status, headers, json, html, script, style, hasEffect = false } = result;
  const common = {
    'X-Request-Id': request.requestId,
    'Cache-Control': 'no-store',
    ...transportSecurity(request.baseUrl),
  };
  const text = json ?? html ?? result.text ?? script ?? style;
  if (!text) return { statusCode: status, headers: { ...common, ...headers }, body: '', isBase64Encoded: false };
  const isTooLarge = text.length > MAX_ANSWER_BYTES;
  const accepted = acceptsGzip(request.header('accept-encoding'));
  if (isTooLarge && !accepted && !hasEffect) throw tooLargeWithoutGzip();
  const gzip = text.encoding === 'gzip' && (accepted || isTooLarge);
  const bytes = gzip ? text.bytes : decodeText(text);
  if (bytes.length > MAX_ANSWER_BYTES) throw tooLarge(hasEffect);
  return {
    statusCode: status,
    headers: {
      ...common,
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': contentTypeOf(result),
      Vary: 'Accept-Encoding',
      ...headers,
      ...(gzip && { 'Content-Encoding': 'gzip' }),
    },
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    isBase64Encoded: true,
  };
}

function contentTypeOf({ json, html, text, script }: HttpResult): string {
  if (json) return 'application/json';
  const type = html ? 'text/html' : text ? 'text/plain' : script ? 'text/javascript' : 'text/css';
  return `${type}; charset=utf-8`;
}

/** Encodes a problem for API Gateway. It is always uncompressed JSON, whatever the client accepts. */
export function encodeProblem(problem: Problem, requestId: string, baseUrl: string): ProxyResult {
  const { occurrence } = problem;
  return {
    statusCode: PROBLEMS[problem.name].status,
    headers: {
      'X-Request-Id': requestId,
      ...transportSecurity(baseUrl),
      ...problemHeaders(problem.name, occurrence),
      ...operationHeaders(baseUrl, occurrence),
    },
    body: JSON.stringify(problem.body(baseUrl + PROBLEMS_PATH, requestId)),
    isBase64Encoded: false,
  };
}

/** Encodes a problem as an error of OAuth 2.0 (RFC 6749, section 5.2), with the status of the problem. */
export function encodeOAuthError({ name, occurrence }: Problem, requestId: string, baseUrl: string): ProxyResult {
  return {
    statusCode: PROBLEMS[name].status,
    headers: { 'X-Request-Id': requestId, ...transportSecurity(baseUrl), ...oauthErrorHeaders(name, occurrence) },
    body: JSON.stringify(oauthErrorBody(name, occurrence, baseUrl + PROBLEMS_PATH)),
    isBase64Encoded: false,
  };
}

/** Returns the header of responses over TLS. A server must not send it over plain HTTP (RFC 6797). */
function transportSecurity(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https://') ? TRANSPORT_SECURITY : {};
}

/** The header of answers about a running operation. Most operations end within 2 seconds. */
export const RETRY_WHILE_RUNNING = { 'Retry-After': '2' } as const;

/** Returns the result with status 202. Its `Location` is the operation to poll. */
export async function accepted(
  { baseUrl }: HttpRequest,
  { operationId, status }: OperationStarted,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResult> {
  const retry = status === 'running' ? RETRY_WHILE_RUNNING : {};
  return {
    status: 202,
    headers: { ...operationHeaders(baseUrl, { operationId }), ...retry, ...headers },
    json: await encodeText(JSON.stringify({ operationId, status })),
  };
}

/** Returns the `Location` header with the URL of an operation; no header without an operation id. */
export function operationHeaders(
  baseUrl: string,
  { operationId }: { readonly operationId?: string | undefined },
): { Location?: string } {
  return operationId === undefined ? {} : { Location: `${baseUrl}${OPERATIONS_PATH}/${operationId}` };
}

/** Returns the problem of a result that is too large for a client without gzip. */
export function tooLargeWithoutGzip(): Problem {
  return new Problem('not-acceptable', {
    detail: 'The answer would be too large without compression. Send Accept-Encoding: gzip. Segue did nothing.',
  });
}

function tooLarge(hasEffect: boolean): Problem {
  return hasEffect
    ? undeliverable()
    : new Problem('not-acceptable', { detail: 'The answer is too large to send, even with compression.' });
}
