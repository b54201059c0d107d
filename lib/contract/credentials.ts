/** The company id and API key of Basic credentials. */
export interface BasicCredentials {
  readonly companyId: string;
  readonly apiKey: string;
}

/** Longer headers contain no API key. */
const MAX_HEADER_CHARACTERS = 8_192;

/** Reads `Basic base64("<company id>:<API key>")` (RFC 7617). Returns `undefined` for anything else. */
export function readBasic(header: string): BasicCredentials | undefined {
  if (header.length > MAX_HEADER_CHARACTERS) return undefined;
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Buffer ignores surplus characters and bits, so several headers would mean the same.
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(encoded)) return undefined;
  const text = bytes.toString();
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { companyId: text.slice(0, colon), apiKey: text.slice(colon + 1) };
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}

/** Makes the value of an `Authorization` header. */
export function basicHeader({ companyId, apiKey }: BasicCredentials): string {
  return `Basic ${Buffer.from(`${companyId}:${apiKey}`).toString('base64')}`;
}

/** The form of a company's id. */
export const COMPANY_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Why credentials were refused, for the log alone: a caller learns only that they are missing or wrong. */
export const REFUSALS = {
  malformed: 'They are missing, or no Basic credentials, API key or token of Segue.',
  'unknown-company': 'The company does not exist.',
  'unknown-key': 'The company exists and has no key of this id.',
  'wrong-key': 'The key id is right, and the rest of the key is wrong.',
  revoked: 'The key was revoked.',
  suspended: 'The company is suspended.',
  'wrong-token': 'The signature or a claim of the token is wrong.',
  'expired-token': 'The token was good and has expired.',
  'ended-family': 'The token’s family ended: a refresh token was used twice, or nothing is known of the family.',
  'evicted-family': 'The token’s family ended: its key has 100 newer sign-ins.',
  'reused-token': 'The refresh token was used before. This ended its family.',
} as const;
export type Refusal = keyof typeof REFUSALS;
