import { isIP } from 'node:net';
import { FIRST_FREE_PORT, LOOPBACK } from './receiver-url.ts';

/** The most hosts to which requests of a source or a destination may be sent. */
export const MAX_ALLOWED_HOSTS = 20;

/** Matches a host with an optional port, and nothing else of a URL. */
const HOST = /^[^\s/\\@?#:[\]%]{1,253}(?::\d{1,5})?$/;
/** Matches the name of a host as URLs have it: labels of letters, digits and hyphens. */
const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** What an allowed host must be, for error texts. */
export const ALLOWED_HOST_RULE =
  'the name of one host, such as cdn.example.com or cdn.example.com:8443, without https://, path or wildcard. Ports are 443, or 1024 and higher. On this machine, 127.0.0.1:<port> works too';

/** Parses a host to which requests may be sent. @returns the host as URLs have it; `undefined` if the text is not one */
export function parseAllowedHost(text: string): string | undefined {
  if (!HOST.test(text)) return undefined;
  const url = URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined;
  if (!url) return undefined;
  const { hostname, host, port } = url;
  const isPort = port === '' || Number(port) >= FIRST_FREE_PORT;
  // A number such as 2130706433 is an address too.
  const isName = isIP(hostname) === 0 ? HOST_NAME.test(hostname) : text === `${LOOPBACK}:${port}`;
  return isPort && isName ? host : undefined;
}

/**
 * Parses a URL, and checks that a request may be sent to it: over https, without user name, and at one of the hosts. The
 * host 127.0.0.1 has http. Whether an address is public, the transport checks.
 * @returns `undefined` if no request may be sent
 */
export function allowedUrl(text: string, hosts: readonly string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || !hosts.includes(url.host)) return undefined;
  url.hash = '';
  return url.protocol === (url.hostname === LOOPBACK ? 'http:' : 'https:') ? url : undefined;
}
