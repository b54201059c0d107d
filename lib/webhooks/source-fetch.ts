import { ALLOWED_HOST_RULE, MAX_ALLOWED_HOSTS, parseAllowedHost } from '../service/allowed-hosts.ts';
import { faultOfSecretHeader } from '../service/secret-header.ts';
import type { SourceFetch } from './sources.ts';

/** The limits of the settings of a fetch. */
export const FETCH_SETTINGS = { expressionCharacters: 4_096 } as const;

/** The header that has the secret of a fetch, unless another one is given. */
export const FETCH_HEADER = 'authorization';

/** The settings of a fetch, before its secret is stored. */
export type FetchSettings = Pick<SourceFetch, 'url' | 'hosts' | 'header'>;

/** Finds what is wrong with a fetch, as the end of an error text; `undefined` if it is right. */
export function faultOfFetch({ url, hosts, header }: FetchSettings, secret: string | undefined): string | undefined {
  const { expressionCharacters } = FETCH_SETTINGS;
  if (url.trim() === '' || url.length > expressionCharacters)
    return `the fetch must be a JSONata expression of at most ${expressionCharacters} characters`;
  if (hosts.length === 0 || hosts.length > MAX_ALLOWED_HOSTS || hosts.some((host) => parseAllowedHost(host) !== host))
    return `a fetch needs 1 to ${MAX_ALLOWED_HOSTS} hosts. Each is ${ALLOWED_HOST_RULE}`;
  if (header !== header?.toLowerCase()) return 'the header of a fetch must be in lower case';
  return faultOfSecretHeader('fetch', header, secret);
}
