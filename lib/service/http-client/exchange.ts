import type { IncomingHttpHeaders } from 'node:http';
import type { Deadline } from '../deadline.ts';
import type { ResponseBody } from './response-body.ts';

/** One HTTP request to a server. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path after the base URL. It starts with a slash and is already percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly deadline: Deadline;
  /** Ends the request early. There is then no response. */
  readonly signal?: AbortSignal | undefined;
  /** The size limit of the response body in bytes, both encoded and decoded; `MAX_BODY_BYTES` by default. */
  readonly maxBodyBytes?: number | undefined;
  /** Whether to open a new connection for this request. By default, every method except GET does. */
  readonly needsNewConnection?: boolean | undefined;
}

/** The response to a `TransportRequest`. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ResponseBody;
}

/**
 * Sends a request once and returns the response, whatever its status. Does not follow redirects.
 * @throws {NoAnswer} if there is no response
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The `code` of a `NoAnswer` whose request reached its deadline. */
export const OUT_OF_TIME = 'DEADLINE';
/** The `code` of a `NoAnswer` whose request got no connection within `connectMs`. */
export const NO_CONNECTION = 'CONNECT_TIMEOUT';

/** The error of a request that ended without a response. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether the server may have received a part of the request. */
  readonly sent: boolean;
  /** Node's error code, such as `ECONNREFUSED`. Node's message is left out, because it may quote received bytes. */
  readonly code: string;
  /**
   * When to retry, in seconds: set if the circuit breaker held the request back, or if a sign-in got a `Retry-After`.
   */
  readonly retryAfterSeconds: number | undefined;

  constructor(sent: boolean, code: string, retryAfterSeconds?: number) {
    super(`No answer: ${code}`);
    this.sent = sent;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Returns the code of Node's error for a failed connection. Its message is left out, because it may quote received bytes.
 */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'UNKNOWN';
}
