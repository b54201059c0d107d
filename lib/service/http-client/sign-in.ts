import * as z from 'zod/mini';
import { type BasicCredentials, basicHeader } from '../../contract/credentials.ts';
import { elapsedMs } from '../../contract/date.ts';
import { type Deadline, deadlineAt, raceDeadline, type Time } from '../deadline.ts';
import { retryAfterSeconds } from '../retry.ts';
import { parseJson } from './response-body.ts';
import { NoAnswer, OUT_OF_TIME, type TransportRequest, type TransportResponse } from './transport.ts';

/** An account at a server: `basic` by default; with `bearer` it signs in for access tokens. */
export interface HttpAccount extends BasicCredentials {
  readonly scheme?: 'basic' | 'bearer' | undefined;
}

/**
 * Sends a request for an account.
 * @throws {NoAnswer}
 */
export type SendAs = (account: HttpAccount, request: TransportRequest) => Promise<TransportResponse>;

/** The response to a sign-in, as far as it matters. The token must fit into a header (RFC 6750). */
const TokenResponse = z.object({
  AccessToken: z.string().check(z.regex(/^[\w.~+/-]{1,8192}=*$/)),
  /** Seconds. Without a usable number, a token serves until it is rejected. */
  expiresIn: z.catch(z.number().check(z.positive()), Number.POSITIVE_INFINITY),
});

interface Token {
  readonly text: string;
  readonly requestedAtMs: number;
  readonly renewAfterMs: number;
  readonly lifeMs: number;
}

/** The time limit for a sign-in, in milliseconds, whichever request waits for it. */
const SIGN_IN_MS = 10_000;
/** How long before its end a token is renewed, in milliseconds; at most a tenth of its life. */
const RENEW_BEFORE_MS = 60_000;

/**
 * Adds the `Authorization` header to each request. If a token is rejected with 401, the request is sent once more with a
 * new token: the server did nothing. Concurrent requests share one sign-in.
 */
export function authorizeRequests(send: SendAs, { now, timer }: Time): SendAs {
  const tokens = new Map<string, Token>();
  const signIns = new Map<string, Promise<string | TransportResponse>>();

  return async (account, request) => {
    const basic = basicHeader(account);
    if (account.scheme !== 'bearer') return send(account, withAuthorization(request, basic));
    for (let isRenewed = false; ; isRenewed = true) {
      const token = await tokenOf(account, basic, request.deadline);
      if (typeof token !== 'string') return token;
      const response = await send(account, withAuthorization(request, `Bearer ${token}`));
      if (response.status !== 401) return response;
      // A newer token that another request obtained meanwhile stays.
      if (tokens.get(basic)?.text === token) tokens.delete(basic);
      if (isRenewed) return response;
    }
  };

  /** @returns the response in place of a token if the server rejects the account */
  async function tokenOf(account: HttpAccount, key: string, deadline: Deadline): Promise<string | TransportResponse> {
    const token = tokens.get(key);
    if (token && elapsedMs(token.requestedAtMs, now()) < token.renewAfterMs) return token.text;
    const signIn = signIns.get(key) ?? obtainToken(account, key).finally(() => signIns.delete(key));
    signIns.set(key, signIn);
    try {
      return await raceDeadline(deadline, signIn, timer, () => new NoAnswer(false, OUT_OF_TIME));
    } catch (error) {
      const isAlive = token && elapsedMs(token.requestedAtMs, now()) < token.lifeMs;
      if (error instanceof NoAnswer && isAlive) return token.text;
      throw error;
    }
  }

  async function obtainToken(account: HttpAccount, key: string): Promise<string | TransportResponse> {
    const requestedAtMs = now();
    const response = await signInAs(send, account, deadlineAt(requestedAtMs + SIGN_IN_MS, now));
    if (isAuthRejected(response)) return response;
    const { status, headers, body } = response;
    const read = TokenResponse.safeParse(status === 200 || status === 201 ? parseJson(body) : undefined);
    if (!read.success) throw new NoAnswer(false, `TOKEN_${status}`, retryAfterSeconds(headers['retry-after'], now()));
    const { AccessToken: text, expiresIn } = read.data;
    const lifeMs = expiresIn * 1_000;
    const renewAfterMs = lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 10);
    tokens.set(key, { text, requestedAtMs, renewAfterMs, lifeMs });
    return text;
  }
}

/** Whether the server rejected the credentials. */
export function isAuthRejected({ status }: Pick<TransportResponse, 'status'>): boolean {
  return status === 401 || status === 403;
}

function withAuthorization(request: TransportRequest, authorization: string): TransportRequest {
  return { ...request, headers: { ...request.headers, authorization } };
}

/** However a sign-in fails, the request that waits for it was not sent. */
async function signInAs(send: SendAs, account: HttpAccount, deadline: Deadline): Promise<TransportResponse> {
  const { companyId: username, apiKey: password } = account;
  try {
    return await send(account, {
      method: 'POST',
      path: '/authentication/token',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
      deadline,
    });
  } catch (error) {
    throw error instanceof NoAnswer ? new NoAnswer(false, error.code, error.retryAfterSeconds) : error;
  }
}
