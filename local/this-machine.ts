import { isThisMachine } from '../lib/contract/base-url.ts';
import type { ReceivedRequest } from './event.ts';

/** Headers that a proxy or a tunnel adds. Its clients may be anywhere. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;

/**
 * Whether a request comes from a program or a page of this machine: from a loopback address, to a name of this machine,
 * through no proxy, and from no page of another origin. The check of the name stops DNS rebinding, in which a foreign
 * site's name leads to this machine.
 */
export function isFromThisMachine({ request, host }: ReceivedRequest): boolean {
  const { headers, socket } = request;
  if (host === undefined || !isThisMachine({ hostname: socket.remoteAddress ?? '' })) return false;
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const url = new URL(`http://${host}`);
  return isThisMachine(url) && (headers.origin === undefined || headers.origin === url.origin);
}
