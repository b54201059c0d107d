import { isIP } from 'node:net';
import type { SourceFetch } from './sources.ts';

/** The limits of the settings of a fetch. */
export const FETCH_SETTINGS = { expressionCharacters: 4_096, hosts: 10, secretCharacters: 4_096 } as const;

/** The header that has the secret of a fetch, unless another one is given. */
export const FETCH_HEADER = 'authorization';

/** The host of this machine. It is accepted with a port, over http, and only by a Segue that allows it. */
const LOOPBACK = '127.0.0.1';
/** Matches a host with an optional port, and nothing else of a URL. */
const HOST = /^[^\s/\\@?#:[\]%]{1,253}(?::\d{1,5})?$/;
/** Matches the name of a host as URLs have it: labels of letters, digits and hyphens. */
const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** The lowest port, beside 443, to which requests are sent. Lower ports belong to other protocols, such as mail. */
const FIRST_FREE_PORT = 1_024;

/** What the host of a fetch must be, for error texts. */
export const FETCH_HOST_RULE =
  'the name of one host, such as cdn.example.com or cdn.example.com:8443, without https://, path or wildcard. Ports are 443, or 1024 and higher. On this machine, 127.0.0.1:<port> works too';

/** Parses a host to which fetches may be sent. @returns the host as URLs have it; `undefined` if the text is not one */
export function parseFetchHost(text: string): string | undefined {
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
 * Parses a URL, and checks that it may be fetched: over https, without user name, and at one of the hosts. The host
 * 127.0.0.1 has http. Whether an address is public, the transport checks.
 * @returns `undefined` if the URL may not be fetched
 */
export function allowedUrl(text: string, hosts: readonly string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || !hosts.includes(url.host)) return undefined;
  url.hash = '';
  return url.protocol === (url.hostname === LOOPBACK ? 'http:' : 'https:') ? url : undefined;
}

/** The headers of a request that a secret cannot replace. */
const TAKEN_HEADERS: readonly string[] = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
];
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const SECRET = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The settings of a fetch, before its secret is stored. */
export type FetchSettings = Pick<SourceFetch, 'url' | 'hosts' | 'header'>;

/** Finds what is wrong with a fetch, as the end of an error text; `undefined` if it is right. */
export function faultOfFetch({ url, hosts, header }: FetchSettings, secret: string | undefined): string | undefined {
  const { expressionCharacters, hosts: maxHosts, secretCharacters } = FETCH_SETTINGS;
  if (url.trim() === '' || url.length > expressionCharacters)
    return `the fetch must be a JSONata expression of at most ${expressionCharacters} characters`;
  if (hosts.length === 0 || hosts.length > maxHosts || hosts.some((host) => parseFetchHost(host) !== host))
    return `a fetch needs 1 to ${maxHosts} hosts. Each is ${FETCH_HOST_RULE}`;
  if (header !== undefined && (!HEADER_NAME.test(header) || TAKEN_HEADERS.includes(header)))
    return 'the header of a fetch must be the name of a header for credentials, such as Authorization';
  if (secret !== undefined && (secret.length > secretCharacters || !SECRET.test(secret)))
    return `the secret of a fetch must have 1 to ${secretCharacters} visible characters. It is the whole value of the header, such as Bearer …`;
  return undefined;
}
