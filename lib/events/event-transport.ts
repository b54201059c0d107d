import { lookup as resolve } from 'node:dns';
import { Agent, type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { codeOf } from '../service/http-client/exchange.ts';
import { isPublicAddress } from '../service/public-address.ts';
import { type ReceiverAddress, readReceiverUrl } from '../service/receiver-url.ts';

/** A message to a receiver of events. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The end of sending a message. */
export type Sent =
  /** The receiver answered, with any status. */
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  /** The URL or the address of its host is not one to which Segue sends events. Nothing was sent. */
  | { readonly kind: 'address-refused' }
  /** There was no answer. The code is Node's, such as `ECONNREFUSED`, or `TIMEOUT`. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** Sends a message once. It follows no redirect, and never throws. */
export type EventTransport = (message: Outgoing) => Promise<Sent>;

/** The dependencies of a transport. */
export interface EventTransportOptions {
  /** Whether `http://127.0.0.1:<port>` is accepted too. */
  readonly allowsLoopback: boolean;
  /** Resolves the name of a host; by default Node's `dns.lookup`. */
  readonly lookup?: LookupFunction;
  /** The certificates to trust in PEM; by default those of Node. */
  readonly ca?: string;
  /** Whether events may be sent to an address; by default only to public addresses. */
  readonly mayConnect?: (address: string) => boolean;
  /** The time for the whole exchange, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
}

/** The most bytes of an answer to read. The status decides, so the rest is not needed. */
const MAX_ANSWER_BYTES = 65_536;

/** The code of a connection that was ended because its address is refused. */
const ADDRESS_REFUSED = 'ADDRESS_REFUSED';
const TIMEOUT = 'TIMEOUT';

const errorWith = (code: string) => Object.assign(new Error(code), { code });

/**
 * Creates a transport that connects only to public addresses. It checks the addresses to which the name of the host
 * resolves at the moment of connecting, and connects to one of these without resolving the name again. So a name that
 * resolves to another address a moment later gains nothing. Each message has its own connection, and no proxy.
 */
export function eventTransport({
  allowsLoopback,
  lookup = resolve,
  ca,
  mayConnect = isPublicAddress,
  timeoutMs = 10_000,
}: EventTransportOptions): EventTransport {
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

  function open({ protocol, hostname, port, path }: ReceiverAddress, { headers, body }: Outgoing): ClientRequest {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const target = { method: 'POST', hostname, port, path, headers: { ...headers, ...length } };
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

  return async (message) => {
    const receiver = readReceiverUrl(message.url, allowsLoopback);
    if (!receiver) return { kind: 'address-refused' };
    const request = open(receiver, message);
    const timeout = setTimeout(() => request.destroy(errorWith(TIMEOUT)), timeoutMs);
    try {
      const response = await responseTo(request, message.body);
      await readSome(response);
      return { kind: 'answered', status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
    } catch (error) {
      const code = codeOf(error);
      return code === ADDRESS_REFUSED ? { kind: 'address-refused' } : { kind: 'no-answer', code };
    } finally {
      clearTimeout(timeout);
      request.destroy();
    }
  };
}

function responseTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolved, reject) => {
    request.once('response', resolved);
    // After the response, this has no effect. A later error, such as one of the rest of the body, is not needed.
    request.on('error', reject);
    // If the receiver switches protocols, there is neither a response nor an error.
    request.once('close', () => reject(errorWith('CLOSED')));
    request.end(body);
  });
}

/** Reads the beginning of an answer, so that a receiver with a short answer can end it. */
async function readSome(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) return;
    }
  } catch {
    // The status has arrived, and decides.
  }
}
