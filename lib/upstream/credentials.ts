import * as z from 'zod/mini';
import type { BasicCredentials } from '../credentials/basic.ts';

/** Members of the secret that are not known here are the operator's own. */
const UpstreamCredentials = z.object({
  // A colon would end the company id early (RFC 7617); visible ASCII alone is the same bytes in every charset.
  companyId: z.string().check(z.regex(/^[\x21-\x39\x3b-\x7e]{1,255}$/)),
  apiKey: z.string().check(z.regex(/^[\x21-\x7e]{1,1024}$/)),
});

/**
 * Reads the secret with the account at the service: `{ "companyId": …, "apiKey": … }`.
 * @throws where it has another shape
 */
export function readUpstreamCredentials(value: unknown): BasicCredentials {
  return UpstreamCredentials.parse(value);
}
