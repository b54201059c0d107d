import { type BasicCredentials, basicHeader } from '../../contract/basic-credentials.ts';
import { elapsedMs } from '../../contract/date.ts';
import { TOKEN_PATH } from '../../contract/paths.ts';
import { fieldsOf } from '../../contract/pointer.ts';
import { type Deadline, deadlineAt, raceDeadline, type Time } from '../deadline.ts';
import { retryAfterSeconds } from '../retry.ts';
import { NoAnswer, OUT_OF_TIME, type TransportRequest, type TransportResponse } from './exchange.ts';
import { parseJson, type ResponseBody } from './response-body.ts';

/** An account at a server. */
export interface HttpAccount extends BasicCredentials {
  /**
   * `basic` sends the API key with each request. `bearer` signs in and sends an access token. The default is `basic`.
   */
  readonly scheme?: 'basic' | 'bearer' | undefined;
}

/**
 * Sends a request in the name of an account.
 * @throws {NoAnswer} if there is no response
 */
export type SendAs = (account: HttpAccount, request: TransportRequest) => Promise<TransportResponse>;

/** Matches a token that a header can contain (RFC 6750). */
const TOKEN = /^[\w.~+/-]{1,8192}=*$/;

/**
 * Reads the token of a sign-in response, and its lifetime in seconds. Without a valid lifetime, the token is used until
 * the server rejects it.
 */
function readToken(body: ResponseBody): { readonly text: string; readonly expiresIn: number } | undefined {
  const { AccessToken: text, expiresIn } = fieldsOf(parseJson(body)) ?? {};
  if (typeof text !== 'string' || !TOKEN.test(text)) return undefined;
  return { text, expiresIn: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : Number.POSITIVE_INFINITY };
}

/** An access token in memory. */
interface Token {
  readonly text: string;
  /** When the token was requested, in milliseconds since 1970. */
  readonly requestedAtMs: number;
  /** The age at which the token is renewed, in milliseconds. */
  readonly renewAfterMs: number;
  /** The age at which the token expires, in milliseconds. */
  readonly lifeMs: number;
}

/** The time limit for a sign-in, in milliseconds. The deadlines of the requests that wait for it do not change it. */
const SIGN_IN_MS = 10_000;
/** How long before its expiry a token is renewed, in milliseconds; at most a tenth of its lifetime. */
const RENEW_BEFORE_MS = 60_000;

/**
 * Adds the `Authorization` header to each request. If the server rejects a token with 401, it did not run the request.
 * So the request is sent once more with a new token. Concurrent requests share one sign-in.
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
      // Keep the token if another request has obtained a newer one meanwhile.
      if (tokens.get(basic)?.text === token) tokens.delete(basic);
      if (isRenewed) return response;
    }
  };

  /** Returns the token of an account, or the server's response if the server rejects the account. */
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
    const read = status === 200 || status === 201 ? readToken(body) : undefined;
    if (!read) throw new NoAnswer(false, `TOKEN_${status}`, retryAfterSeconds(headers['retry-after'], now()));
    const { text, expiresIn } = read;
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

/** Signs in. If the sign-in fails, its `NoAnswer` has `sent: false`, because the waiting request was not sent. */
async function signInAs(send: SendAs, account: HttpAccount, deadline: Deadline): Promise<TransportResponse> {
  const { companyId: username, apiKey: password } = account;
  try {
    return await send(account, {
      method: 'POST',
      path: TOKEN_PATH,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
      deadline,
    });
  } catch (error) {
    throw error instanceof NoAnswer ? new NoAnswer(false, error.code, error.retryAfterSeconds) : error;
  }
}
