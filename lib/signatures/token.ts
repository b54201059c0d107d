import { createHash, timingSafeEqual } from 'node:crypto';
import { isSecret, newTextSecret, SECRET_FORM } from './hmac.ts';
import { type SignatureScheme, singleValues } from './scheme.ts';

/** The settings of a scheme that sends a fixed secret: exactly one of `header`, `basic` and `query`. */
export interface TokenSettings {
  /** The header with the secret, in lower case. */
  readonly header?: string | undefined;
  /** The text before the secret in the header, such as `Bearer `. */
  readonly prefix?: string | undefined;
  /** The user name, if the sender sends the secret as the password of HTTP Basic. */
  readonly basic?: string | undefined;
  /** The query parameter with the secret. */
  readonly query?: string | undefined;
}

/**
 * Creates a scheme in which each message carries the same secret. It proves that the sender knows the secret, and
 * nothing about the message: neither its body nor its time.
 */
export function tokenScheme({ header: name, prefix = '', basic, query }: TokenSettings): SignatureScheme {
  const header = basic === undefined ? name : 'authorization';
  const textOf = (secret: string) =>
    basic === undefined ? prefix + secret : `Basic ${Buffer.from(`${basic}:${secret}`).toString('base64')}`;
  return {
    privateHeaders: header === undefined ? [] : [header],
    queryParameter: query,
    refusal: `The secret is missing or wrong. Send it ${placeOf(basic, query)}.`,
    identifiedBy: 'body-for-minutes',
    readClaim(message) {
      const given = query === undefined ? singleValues([header ?? ''], message) : message.queryValues(query);
      if (typeof given === 'string') return given;
      const [text, ...more] = given.values();
      if (text === undefined) return 'missing';
      return more.length === 0 ? { signed: [], signatures: [{ version: 'v1', text }] } : 'malformed';
    },
    verifierOf(secret) {
      if (!isSecret(secret)) return undefined;
      const right = digestOf(textOf(secret));
      // Digests have equal lengths, so the comparison does not reveal the length of the secret.
      return () =>
        ({ text }) =>
          timingSafeEqual(digestOf(text), right);
    },
    sign: (secret): Record<string, string> => (header === undefined ? {} : { [header]: textOf(secret) }),
    secretForm: SECRET_FORM,
    newSecret: newTextSecret,
  };
}

/** Says where a sender must put the secret. The name of a header or a parameter is for the operator only. */
function placeOf(basic: string | undefined, query: string | undefined): string {
  if (basic !== undefined) return 'as the password of HTTP Basic';
  return query === undefined ? 'in the header that the source names' : 'in the query parameter that the source names';
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
