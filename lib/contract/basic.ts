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
