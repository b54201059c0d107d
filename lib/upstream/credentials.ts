import * as z from 'zod/mini';
import type { BasicCredentials } from '../credentials/basic.ts';

/**
 * A company id at the service: 1 to 255 visible ASCII characters, which are the same bytes in every charset, without a
 * colon, which would end it early (RFC 7617).
 */
export const UPSTREAM_COMPANY_ID = /^[\x21-\x39\x3b-\x7e]{1,255}$/;
/** An API key at the service: 1 to 1,024 visible ASCII characters. */
export const UPSTREAM_API_KEY = /^[\x21-\x7e]{1,1024}$/;

/** Members of the secret that are not known here are the operator's own. */
const UpstreamCredentials = z.object({
  companyId: z.string().check(z.regex(UPSTREAM_COMPANY_ID)),
  apiKey: z.string().check(z.regex(UPSTREAM_API_KEY)),
});

/**
 * Reads the secret with the account at the service: `{ "companyId": …, "apiKey": … }`.
 * @throws where it has another shape
 */
export function readUpstreamCredentials(value: unknown): BasicCredentials {
  return UpstreamCredentials.parse(value);
}
