/** The longest secret, in characters. */
const MAX_SECRET_CHARACTERS = 4_096;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const SECRET = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The headers of a connection, and those that Segue sets, in requests that a user describes. */
const OWN_HEADERS: readonly string[] = [
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'idempotency-key',
  'traceparent',
  'user-agent',
];
/** The further headers that no secret can replace. */
const TYPES: readonly string[] = ['accept', 'accept-encoding', 'content-type'];

/** Whether a text can be the name of a header. */
export function isHeaderName(text: string): boolean {
  return NAME.test(text);
}

/** Whether Segue sets a header itself. @param name the name of the header, in lower case */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.includes(name);
}

/**
 * Finds what is wrong with a header that has a secret, as an error text; `undefined` if it is right. The text has nothing of
 * the secret.
 * @param of what sends the secret, for the text
 */
export function faultOfSecretHeader(
  of: 'fetch' | 'destination',
  header: string | undefined,
  secret: string | undefined,
): string | undefined {
  const name = header?.toLowerCase();
  if (name !== undefined && (!isHeaderName(name) || isOwnHeader(name) || TYPES.includes(name)))
    return `the header of a ${of} must be the name of a header for credentials, such as Authorization`;
  if (secret !== undefined && (secret.length > MAX_SECRET_CHARACTERS || !SECRET.test(secret)))
    return `the secret of a ${of} must have 1 to ${MAX_SECRET_CHARACTERS} visible ASCII characters, and no space at its ends. It is the whole value of the header, such as Bearer …`;
  return undefined;
}
