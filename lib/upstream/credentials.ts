import * as z from 'zod/mini';
import type { BasicCredentials } from '../credentials/basic.ts';

/**
 * A company id at the service: 1 to 255 visible ASCII characters, which are the same bytes in every charset, without a
 * colon, which would end it early (RFC 7617).
 */
export const UPSTREAM_COMPANY_ID = /^[\x21-\x39\x3b-\x7e]{1,255}$/;
/** An API key at the service: 1 to 1,024 visible ASCII characters. */
export const UPSTREAM_API_KEY = /^[\x21-\x7e]{1,1024}$/;

/** How the service is shown who asks: `basic` unless said. */
const Scheme = z.enum(['basic', 'bearer']);

const Account = z.object({
  companyId: z.string().check(z.regex(UPSTREAM_COMPANY_ID)),
  apiKey: z.string().check(z.regex(UPSTREAM_API_KEY)),
  scheme: z.optional(Scheme),
});

/** Members of the secret that are not known here are the operator's own. */
const UpstreamSecret = z.extend(Account, { companies: z.optional(z.record(z.string(), Account)) });

/** An account at the service. */
export interface UpstreamAccount extends BasicCredentials {
  readonly scheme?: z.infer<typeof Scheme> | undefined;
}

/** The accounts at the service: the one that companies share, and those that companies of Segue have to themselves. */
export interface UpstreamSecret extends UpstreamAccount {
  /** By the company's id here. */
  readonly companies?: Readonly<Record<string, UpstreamAccount>> | undefined;
}

/**
 * Reads the secret: `{ "companyId": …, "apiKey": …, "scheme"?: "basic" | "bearer", "companies"?: { "<company id here>":
 * { "companyId": …, "apiKey": …, "scheme"?: … } } }`.
 * @throws where it has another shape
 */
export function readUpstreamCredentials(value: unknown): UpstreamSecret {
  return UpstreamSecret.parse(value);
}

/** The account that a company's requests are sent with, and whether no other company's are. */
export function accountOf(
  { companies = {}, ...shared }: UpstreamSecret,
  companyId: string,
): { readonly account: UpstreamAccount; readonly isOwn: boolean } {
  const own = Object.hasOwn(companies, companyId) ? companies[companyId] : undefined;
  return { account: own ?? shared, isOwn: own !== undefined };
}
