import type { IncomingHttpHeaders } from 'node:http';

/** A request as it reached the service. */
export interface Asked {
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: Uint8Array | undefined;
}

/** A whole answer. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Something that answers every request. */
export type Service = (asked: Asked) => Promise<Reply>;

/** How an exchange ends for whoever asked. */
export type Ending =
  | { readonly kind: 'answered'; readonly reply: Reply }
  /** The headers and a part of the body, and then the connection is gone. */
  | { readonly kind: 'truncated'; readonly reply: Reply }
  /** The connection is gone before anything is answered. */
  | { readonly kind: 'reset' }
  /** There was no connection at all. */
  | { readonly kind: 'refused' }
  /** Nothing, for as long as anybody waits. */
  | { readonly kind: 'silent' };
