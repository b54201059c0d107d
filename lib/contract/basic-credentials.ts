/** The company id and API key of Basic credentials. */
export interface BasicCredentials {
  readonly companyId: string;
  readonly apiKey: string;
}

/** The longest header that is decoded, in characters. Every header with an API key is shorter. */
const MAX_HEADER_CHARACTERS = 8_192;

/**
 * Reads the company id and the API key from a header `Basic base64("<company id>:<API key>")` (RFC 7617). Returns
 * `undefined` for any other header.
 */
export function readBasic(header: string): BasicCredentials | undefined {
  if (header.length > MAX_HEADER_CHARACTERS) return undefined;
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Buffer ignores surplus characters and bits. Without this check, several headers would decode to the same
  // credentials.
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(encoded)) return undefined;
  const text = bytes.toString();
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { companyId: text.slice(0, colon), apiKey: text.slice(colon + 1) };
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}

/** Returns the value of the `Authorization` header for Basic credentials. */
export function basicHeader({ companyId, apiKey }: BasicCredentials): string {
  const bytes = new TextEncoder().encode(`${companyId}:${apiKey}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Matches a valid company id. */
export const COMPANY_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The reasons to refuse credentials, for the log. The answer says only whether the credentials are missing, have an
 * unknown form, are wrong, or belong to a suspended company.
 */
export const REFUSALS = {
  missing: 'The request has no credentials.',
  malformed: 'The credentials are neither Basic credentials nor a Bearer API key or token.',
  'malformed-key':
    'The company id, the API key or the token does not have the form of one, for example because it is cut short.',
  'unknown-company': 'The company does not exist.',
  'unknown-key': 'The company exists, but it has no key with this id.',
  'wrong-key': 'The key id exists, but the secret of the key is wrong.',
  revoked: 'The key was revoked.',
  'expired-key': 'The key is genuine but has expired.',
  'other-network': 'The key is genuine but was sent from an address outside the networks of the key.',
  suspended: 'The company is suspended.',
  'wrong-token': 'The signature or a claim of the token is wrong.',
  'expired-token': 'The token is genuine but has expired.',
  'ended-family':
    'The token belongs to a sign-in that ended because a refresh token was used twice, or that Segue does not know.',
  'evicted-family': 'The token belongs to a sign-in that ended because its key has 100 newer sign-ins.',
  'reused-token': 'The refresh token was used before. Segue ended its sign-in, with all its tokens.',
} as const;
export type Refusal = keyof typeof REFUSALS;

/** The reasons to reject the signature of a webhook message, for the log. The answer does not say which applies. */
export const SIGNATURE_FAULTS = {
  missing: 'The message lacks a header, or the query parameter, of the scheme.',
  malformed: 'A header occurs twice, or does not have the form of the scheme, such as its prefix or its encoding.',
  'wrong-time': 'The signed time is more than 5 minutes from the present.',
  wrong: 'The signature has the right form, and is of other bytes or of another secret.',
} as const;
export type SignatureFault = keyof typeof SIGNATURE_FAULTS;
