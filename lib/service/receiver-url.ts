import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** The place to which events are sent, from an `eventUrl`. */
export interface ReceiverAddress {
  readonly protocol: 'https' | 'http';
  /** The name or address of the host, without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** The path and query. */
  readonly path: string;
}

/** The lowest port, beside 443, to which requests are sent. Lower ports belong to other protocols, such as mail. */
export const FIRST_FREE_PORT = 1_024;
/** The host of this machine. It has http, and only a Segue on this machine may allow it. */
export const LOOPBACK = '127.0.0.1';

/**
 * Parses an `eventUrl`, and checks everything that needs no name resolution.
 * @param allowsLoopback whether `http://127.0.0.1:<port>` is accepted too, for a receiver on this machine
 * @returns `undefined` if Segue sends no events to this URL
 */
export function readReceiverUrl(text: string, allowsLoopback: boolean): ReceiverAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password) return undefined;
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const path = url.pathname + url.search;
  if (url.protocol === 'http:') {
    const isLoopback = allowsLoopback && hostname === LOOPBACK;
    return isLoopback ? { protocol: 'http', hostname, port: Number(url.port || 80), path } : undefined;
  }
  const port = Number(url.port || 443);
  const isAllowed = port === 443 || port >= FIRST_FREE_PORT;
  if (url.protocol !== 'https:' || !isAllowed || (isIP(hostname) !== 0 && !isPublicAddress(hostname))) return undefined;
  return { protocol: 'https', hostname, port, path };
}
