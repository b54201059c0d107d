/** The protocols that a base URL may be allowed. */
type Protocol = 'http' | 'https';

/** The form of a base URL, in words. */
export const BASE_URL_RULE =
  'an https URL (http only to this machine: localhost, 127.0.0.1 or [::1]) without credentials, query and fragment';

/**
 * Reads the base URL of a service. Its path, if any, is the prefix of every path of the contract. Each request sends credentials,
 * so plain HTTP is accepted for this machine only.
 * @returns `undefined` if it is not a URL of these protocols, or has credentials, a query or a fragment, even an empty one
 */
export function readBaseUrl(text: string, { protocols }: { readonly protocols: readonly Protocol[] }): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.some((protocol) => url.protocol === `${protocol}:`)) return undefined;
  if (url.protocol === 'http:' && !isThisMachine(url)) return undefined;
  // `search` and `hash` are also empty for a bare `?` or `#`, which would still cut off an appended path.
  return url.username || url.password || /[?#]/.test(text) ? undefined : url;
}

/** Whether a URL names this machine. `URL` normalises every form of an address. */
function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** The base URL without a slash at its end, so that a path of the contract can follow. */
export function writeBaseUrl(url: URL): string {
  return url.href.replace(/\/+$/, '');
}
