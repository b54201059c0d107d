import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../public-address.ts';
import { type ReceiverAddress, readReceiverUrl } from '../receiver-url.ts';
import { codeOf } from './exchange.ts';
import { nameResolver } from './name-resolver.ts';
import { readBody } from './read-body.ts';
import type { ResponseBody } from './response-body.ts';

/** A request to a URL that somebody else has named. */
export interface Outgoing {
  readonly method: OutgoingMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}
export type OutgoingMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The end of sending a request. */
export type Sent =
  /** The receiver answered, with any status. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** The decoded body; `unusable` if it is longer than the limit of the transport. */
      readonly body: ResponseBody;
    }
  /** The URL or the address of its host is not one to which Segue sends requests. Nothing was sent. */
  | { readonly kind: 'address-refused' }
  /** There was no answer. The code is Node's, such as `ECONNREFUSED`, or `TIMEOUT`. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** Sends a request once. It follows no redirect, and never throws. */
export type PublicTransport = (request: Outgoing) => Promise<Sent>;

/** The dependencies of a transport. */
export interface PublicTransportOptions {
  /** Whether `http://127.0.0.1:<port>` is accepted too. */
  readonly allowsLoopback: boolean;
  /** Resolves the name of a host; by default with the name servers of this machine. */
  readonly lookup?: LookupFunction;
  /** The certificates to trust in PEM; by default those of Node. */
  readonly ca?: string;
  /** Whether requests may be sent to an address; by default only to public addresses. */
  readonly mayConnect?: (address: string) => boolean;
  /** The time for the whole exchange, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /** The most bytes of an answer to read, encoded and decoded; 65,536 by default, for answers whose status decides. */
  readonly maxAnswerBytes?: number;
}

/** The time for a whole exchange, unless a transport has another one, in milliseconds. */
export const EXCHANGE_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

/** The code of a connection that was ended because its address is refused. */
const ADDRESS_REFUSED = 'ADDRESS_REFUSED';
const TIMEOUT = 'TIMEOUT';

const errorWith = (code: string) => Object.assign(new Error(code), { code });

/**
 * Creates a transport that connects only to public addresses. It checks the addresses to which the name of the host
 * resolves at the moment of connecting, and connects to one of these without resolving the name again. So a name that
 * resolves to another address a moment later gains nothing. Each request has its own connection, and no proxy.
 */
export function publicTransport({
  allowsLoopback,
  lookup = nameResolver(),
  ca,
  mayConnect = isPublicAddress,
  timeoutMs = EXCHANGE_MS,
  maxAnswerBytes = MAX_ANSWER_BYTES,
}: PublicTransportOptions): PublicTransport {
  const checkedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      // Beside an error, Node gives no addresses, not even an empty list.
      const addresses = Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (error || !first) callback(error ?? errorWith('ENOTFOUND'), '', 0);
      // One refused address is enough: a name with both kinds of addresses is meant to mislead.
      else if (!addresses.every(({ address }) => mayConnect(address))) callback(errorWith(ADDRESS_REFUSED), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

  function open(
    { protocol, hostname, port, path }: ReceiverAddress,
    { method, headers, body }: Outgoing,
  ): ClientRequest {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const target = { method, hostname, port, path, headers: { ...headers, ...length } };
    if (protocol === 'http') return requestPlain({ ...target, agent: new Agent() });
    const request = requestSecure({
      ...target,
      agent: new SecureAgent(),
      lookup: checkedLookup,
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca }),
    });
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        if (!mayConnect(socket.remoteAddress ?? '')) request.destroy(errorWith(ADDRESS_REFUSED));
      });
    });
    return request;
  }

  return async (outgoing) => {
    const receiver = readReceiverUrl(outgoing.url, allowsLoopback);
    if (!receiver) return { kind: 'address-refused' };
    const request = open(receiver, outgoing);
    const timeout = setTimeout(() => request.destroy(errorWith(TIMEOUT)), timeoutMs);
    try {
      const response = await responseTo(request, outgoing.body);
      const { statusCode: status = 0, headers } = response;
      return { kind: 'answered', status, headers, body: await readBody(response, maxAnswerBytes) };
    } catch (error) {
      const code = codeOf(error);
      return code === ADDRESS_REFUSED ? { kind: 'address-refused' } : { kind: 'no-answer', code };
    } finally {
      clearTimeout(timeout);
      request.destroy();
    }
  };
}

/** Returns the function that creates a transport with a limit of time, in milliseconds, and of the body, in bytes. */
export function publicTransports(allowsLoopback: boolean) {
  return (timeoutMs: number, maxAnswerBytes: number): PublicTransport =>
    publicTransport({ allowsLoopback, timeoutMs, maxAnswerBytes });
}

function responseTo(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolved, reject) => {
    request.once('response', resolved);
    // After the response, this has no effect. A later error, such as one of the rest of the body, is not needed.
    request.on('error', reject);
    // If the receiver switches protocols, there is neither a response nor an error.
    request.once('close', () => reject(errorWith('CLOSED')));
    request.end(body);
  });
}
