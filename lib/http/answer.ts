import { TRANSPORT_SECURITY } from '../contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../contract/limits.ts';
import { Problem, problemHeaders } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { decodeText, type EncodedText } from '../service/encoded-text.ts';
import type { ProxyResult } from './event.ts';
import { acceptsGzip } from './negotiation.ts';
import type { HttpRequest } from './request.ts';

/** What an operation answers. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: EncodedText;
  /** A page for people, in place of JSON. */
  readonly html?: EncodedText;
  /** What was asked for is done: the client must be told so, whatever it accepts. */
  readonly isDone?: boolean;
}

/** Room for everything of a Lambda answer but its body. */
const ENVELOPE_BYTES = 8_192;
/** The most that a base64 body can bring to a client. */
export const MOST_ANSWER_BYTES = Math.floor(((GATEWAY_LIMITS.answerBytes - ENVELOPE_BYTES) * 3) / 4);

/**
 * Encodes an answer as the client accepts it. Where something was done and only gzip can bring the answer, it is gzip.
 * @throws {Problem} where it is too large for the gateway: `not-acceptable`, or `outcome-unknown` where something was done
 */
export function encodeAnswer(request: HttpRequest, answer: Answer): ProxyResult {
  const { status, headers, json, html, isDone = false } = answer;
  const common = {
    'X-Request-Id': request.requestId,
    'Cache-Control': 'no-store',
    ...transportSecurity(request.baseUrl),
  };
  const text = json ?? html;
  if (!text) return { statusCode: status, headers: { ...common, ...headers }, body: '', isBase64Encoded: false };
  const isTooLarge = text.length > MOST_ANSWER_BYTES;
  const accepted = acceptsGzip(request.header('accept-encoding'));
  if (isTooLarge && !accepted && !isDone) throw tooLargeWithoutGzip();
  const gzip = text.encoding === 'gzip' && (accepted || isTooLarge);
  const bytes = gzip ? text.bytes : decodeText(text);
  if (bytes.length > MOST_ANSWER_BYTES) throw undeliverable(isDone);
  return {
    statusCode: status,
    headers: {
      ...common,
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': json ? 'application/json' : 'text/html; charset=utf-8',
      Vary: 'Accept-Encoding',
      ...headers,
      ...(gzip && { 'Content-Encoding': 'gzip' }),
    },
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    isBase64Encoded: true,
  };
}

/** Encodes a problem: the same whatever the client accepts, since it must be told. */
export function encodeProblem(problem: Problem, requestId: string, baseUrl: string): ProxyResult {
  const { occurrence } = problem;
  return {
    statusCode: PROBLEMS[problem.name].status,
    headers: {
      'X-Request-Id': requestId,
      ...transportSecurity(baseUrl),
      ...problemHeaders(occurrence),
      ...operationHeaders(baseUrl, occurrence),
    },
    body: JSON.stringify(problem.body(`${baseUrl}/problems`, requestId)),
    isBase64Encoded: false,
  };
}

/** A client ignores this header over plain HTTP, and no server may send it there (RFC 6797). */
function transportSecurity(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https://') ? TRANSPORT_SECURITY : {};
}

/** Where to ask what became of a request. */
export function operationHeaders(
  baseUrl: string,
  { operationId }: { readonly operationId?: string | undefined },
): { Location?: string } {
  return operationId === undefined ? {} : { Location: `${baseUrl}/operations/${operationId}` };
}

export function tooLargeWithoutGzip(): Problem {
  return new Problem('not-acceptable', {
    detail: 'The answer would be too large without compression: send Accept-Encoding: gzip. Nothing was written.',
  });
}

function undeliverable(isDone: boolean): Problem {
  return isDone
    ? new Problem('outcome-unknown', { detail: 'The request was carried out, and its answer is too large to be sent.' })
    : new Problem('not-acceptable', { detail: 'The answer is too large to be sent, compressed or not.' });
}
