import { ALLOWED_HOST_RULE, MAX_ALLOWED_HOSTS, parseAllowedHost } from '../service/allowed-hosts.ts';
import type { SourceFetch } from './sources.ts';

/** The limits of the settings of a fetch. */
export const FETCH_SETTINGS = { expressionCharacters: 4_096, secretCharacters: 4_096 } as const;

/** The header that has the secret of a fetch, unless another one is given. */
export const FETCH_HEADER = 'authorization';

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
  const { expressionCharacters, secretCharacters } = FETCH_SETTINGS;
  if (url.trim() === '' || url.length > expressionCharacters)
    return `the fetch must be a JSONata expression of at most ${expressionCharacters} characters`;
  if (hosts.length === 0 || hosts.length > MAX_ALLOWED_HOSTS || hosts.some((host) => parseAllowedHost(host) !== host))
    return `a fetch needs 1 to ${MAX_ALLOWED_HOSTS} hosts. Each is ${ALLOWED_HOST_RULE}`;
  if (header !== undefined && (!HEADER_NAME.test(header) || TAKEN_HEADERS.includes(header)))
    return 'the header of a fetch must be the name of a header for credentials, such as Authorization';
  if (secret !== undefined && (secret.length > secretCharacters || !SECRET.test(secret)))
    return `the secret of a fetch must have 1 to ${secretCharacters} visible characters. It is the whole value of the header, such as Bearer …`;
  return undefined;
}
