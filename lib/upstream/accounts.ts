import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import { LONG_KEY, UPSTREAM_COMPANY_ID_FORM } from '../contract/settings.ts';
import type { CachedSecret } from '../credentials/cached-secret.ts';
import { raceDeadline, type Time } from '../service/deadline.ts';
import { jsonBytes } from '../service/encoded-text.ts';
import {
  NoAnswer,
  OUT_OF_TIME,
  type TransportRequest,
  type TransportResponse,
} from '../service/http-client/exchange.ts';
import { authorizeRequests, type HttpAccount, type SendAs } from '../service/http-client/sign-in.ts';
import type { CallContext } from '../service/port.ts';
import { traceFrom, traceparentOf } from '../service/trace.ts';
import { rejectsCredentials, type UpstreamRequest } from './requests.ts';

const Account = z.object({
  companyId: z.string().check(z.regex(UPSTREAM_COMPANY_ID_FORM)),
  apiKey: z.string().check(z.regex(LONG_KEY)),
  scheme: z.optional(z.enum(['basic', 'bearer'])),
});

/** The schema of the secret with the upstream credentials. It ignores unknown fields, which the operator may use. */
const UpstreamSecret = z.extend(Account, { companies: z.optional(z.record(z.string(), Account)) });

/** The upstream account that companies share, and the accounts of single companies. */
export interface UpstreamSecret extends HttpAccount {
  /** The accounts of companies that have their own account, by the company's id in Segue. */
  readonly companies?: Readonly<Record<string, HttpAccount>> | undefined;
}

/**
 * Parses the secret with the upstream credentials: `{ "companyId": …, "apiKey": …, "scheme"?: "basic" | "bearer",
 * "companies"?: { "<company id>": { "companyId": …, "apiKey": …, "scheme"?: … } } }`.
 * @throws if the secret has another shape
 */
export function readUpstreamCredentials(value: unknown): UpstreamSecret {
  return UpstreamSecret.parse(value);
}

/** Returns the upstream account of a company, and whether the company has this account for itself. */
export function accountOf(
  { companies = {}, ...shared }: UpstreamSecret,
  companyId: string,
): { readonly account: HttpAccount; readonly isOwn: boolean } {
  const account = Object.hasOwn(companies, companyId) ? companies[companyId] : undefined;
  if (!account) return { account: shared, isOwn: false };
  // Two entries may name one account, by mistake or on purpose.
  const others = Object.entries(companies).flatMap(([name, other]) => (name === companyId ? [] : other));
  const isOwn = [shared, ...others].every((other) => other.companyId !== account.companyId);
  return { account, isOwn };
}

/**
 * Sends a request with the credentials of a company. Returns the response, whatever its status.
 * @throws {NoAnswer} if no response came
 * @throws {Problem} `unavailable` if the credentials cannot be read
 */
export type SendForCompany = (request: UpstreamRequest, call: CallContext) => Promise<TransportResponse>;

/**
 * Creates a function that sends requests with the credentials of the calling company. After a 401 the service has done
 * nothing, so the request is sent again. An account with the scheme `bearer` first gets a new token. If the account in
 * the secret has changed, the new account is used.
 */
export function authorizeCompanies(
  send: SendAs,
  credentials: CachedSecret<UpstreamSecret>,
  time: Time,
): SendForCompany {
  const sendAs = authorizeRequests(send, time);

  return async (request, call) => {
    // A deletion cannot be undone, so it is never sent with credentials that may have been withdrawn.
    const secret = await credentials.read({ mustBeFresh: request.operation.method === 'DELETE' });
    const response = await sendWith(secret, request, call);
    // The operator may have rotated the key: then the secret has another account.
    const changed = response.status === 401 ? await changedSecret(secret, call) : undefined;
    return changed ? sendWith(changed, request, call) : response;
  };

  async function sendWith(
    secret: UpstreamSecret,
    request: UpstreamRequest,
    call: CallContext,
  ): Promise<TransportResponse> {
    const response = await sendAs(accountOf(secret, call.companyId).account, transportRequest(request, call));
    if (rejectsCredentials(response, request.operation)) credentials.forget(secret);
    return response;
  }

  /**
   * Reads the secret again after a 401.
   * @returns the secret; `undefined` if the company's account is still the rejected one, or the secret cannot be read
   * in time
   */
  async function changedSecret(rejected: UpstreamSecret, { companyId, deadline }: CallContext) {
    try {
      const read = credentials.read({ mustBeFresh: true });
      const secret = await raceDeadline(deadline, read, time.timer, () => new NoAnswer(false, OUT_OF_TIME));
      return isDeepStrictEqual(accountOf(secret, companyId), accountOf(rejected, companyId)) ? undefined : secret;
    } catch (error) {
      if (error instanceof Problem || error instanceof NoAnswer) return undefined;
      throw error;
    }
  }
}

function transportRequest(
  { operation, path, sent, isProof, maxBodyBytes }: UpstreamRequest,
  { deadline, requestId, traceId = traceFrom(requestId) }: CallContext,
): TransportRequest {
  const headers = {
    'x-request-id': requestId,
    traceparent: traceparentOf(traceId, requestId),
    accept: 'application/json',
    'accept-encoding': 'gzip',
    ...(sent && { 'content-type': 'application/json' }),
  };
  const body = sent && jsonBytes(sent);
  return { method: operation.method, path, headers, body, deadline, maxBodyBytes, needsNewConnection: isProof };
}
