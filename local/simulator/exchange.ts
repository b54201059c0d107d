import type { IncomingHttpHeaders } from 'node:http';

export interface SimulatorRequest {
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: Uint8Array | undefined;
}

export interface SimulatorResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** The service behind the fault injector: answers every request. */
export type SimulatedService = (request: SimulatorRequest) => Promise<SimulatorResponse>;

/** What the client of an exchange sees. */
export type ExchangeResult =
  | { readonly kind: 'answered'; readonly response: SimulatorResponse }
  /** The headers and a part of the body; then the connection ends. */
  | { readonly kind: 'truncated'; readonly response: SimulatorResponse }
  /** The connection ends without a response. */
  | { readonly kind: 'reset' }
  /** No connection. */
  | { readonly kind: 'refused' }
  /** No response, for as long as the client waits. */
  | { readonly kind: 'silent' };
