/** A protocol that the caller may allow in a base URL. */
type Protocol = 'http' | 'https';

/** The rule for a base URL, as a phrase for error messages. */
export const BASE_URL_RULE =
  'an https URL (http only to this machine: localhost, 127.0.0.1 or [::1]) without credentials, query and fragment';

/**
 * Parses the base URL of a service. The URL may have a path, which then comes before every path of the contract. Every
 * request sends credentials, so a URL with `http:` must name this machine.
 * @returns `undefined` if the text is not a URL with one of the protocols, if it has `http:` and names another machine,
 *   or if it has credentials, a query or a fragment. A bare `?` or `#` is rejected too.
 */
export function readBaseUrl(text: string, { protocols }: { readonly protocols: readonly Protocol[] }): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.some((protocol) => url.protocol === `${protocol}:`)) return undefined;
  if (url.protocol === 'http:' && !isThisMachine(url)) return undefined;
  // `search` and `hash` are empty for a bare `?` or `#` too. But a path appended after one of them would not be a path.
  return url.username || url.password || /[?#]/.test(text) ? undefined : url;
}

/** Whether a URL names this machine. `new URL` has already normalised every form of an IP address. */
export function isThisMachine({ hostname }: Pick<URL, 'hostname'>): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Returns a base URL as text without a slash at its end, so that a path of the contract can follow. */
export function writeBaseUrl(url: URL): string {
  return url.href.replace(/\/+$/, '');
}
