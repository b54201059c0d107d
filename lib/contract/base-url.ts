/** The protocols that a base URL may be allowed. */
type Protocol = 'http' | 'https';

/**
 * Reads the base URL of a service; its path, if any, stands before every path of the contract.
 * @returns `undefined` where it is no URL of these protocols, or has credentials, a query or a fragment, even an empty one
 */
export function readBaseUrl(text: string, { protocols }: { readonly protocols: readonly Protocol[] }): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.some((protocol) => url.protocol === `${protocol}:`)) return undefined;
  // `search` and `hash` are empty for a bare `?` or `#`, and paths appended behind it would be lost all the same.
  return url.username || url.password || /[?#]/.test(text) ? undefined : url;
}

/** The base URL without a slash at its end, so that a path of the contract can follow. */
export function writeBaseUrl(url: URL): string {
  return url.href.replace(/\/+$/, '');
}
