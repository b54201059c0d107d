/** Headers that prove who somebody is, or lead to him. */
const PRIVATE = [
  /(^|-)(authorization|cookie|credential|hmac|password|secret|signature|token)(-|$)/,
  /^x-api-key$/,
  /^(forwarded|via|true-client-ip|x-real-ip)$/,
  /^(x-forwarded|x-amz|x-amzn|cloudfront|cf)-/,
];

/**
 * The headers that a mapping may read: without signatures, credentials, and what proxies say of the sender.
 * @param received every value of every header, by lower-case names
 * @param signatureHeader the one of the source's own scheme, whatever its name
 */
export function readableHeaders(
  received: ReadonlyMap<string, readonly string[]>,
  signatureHeader: string,
): Record<string, string> {
  const readable = [...received].filter(
    ([name]) => name !== signatureHeader && !PRIVATE.some((pattern) => pattern.test(name)),
  );
  return Object.fromEntries(readable.map(([name, values]) => [name, values.join(',')]));
}
