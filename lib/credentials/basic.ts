/** Company id and API key as Basic credentials carry them. */
export interface BasicCredentials {
  readonly companyId: string;
  readonly apiKey: string;
}

/** Longer headers hold no key of ours. */
const LONGEST_HEADER = 8_192;

/** Reads `Basic base64("<company id>:<API key>")` (RFC 7617); `undefined` for anything else. */
export function readBasic(header: string): BasicCredentials | undefined {
  if (header.length > LONGEST_HEADER) return undefined;
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Letters and bits that stand for nothing would make many headers of one.
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(encoded)) return undefined;
  const text = bytes.toString();
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { companyId: text.slice(0, colon), apiKey: text.slice(colon + 1) };
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}

/** Makes the header's value. */
export function basicHeader({ companyId, apiKey }: BasicCredentials): string {
  return `Basic ${Buffer.from(`${companyId}:${apiKey}`).toString('base64')}`;
}
