import * as z from 'zod/mini';
import { elapsedMs } from '../contract/elapsed.ts';
import { basicHeader } from '../credentials/basic.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { UpstreamAccount } from './credentials.ts';
import { parseJson } from './json.ts';
import { isLockedOut } from './refusal.ts';
import { saidRetryAfter } from './retry-after.ts';
import type { Send } from './shield.ts';
import { type Answer, NoAnswer } from './transport.ts';
import { type Time, within } from './within.ts';

/** The access tokens of the accounts that are shown to the service as tokens. */
export interface Tokens {
  /**
   * The access token of an account. Requests at the same time share one request for it.
   * @returns the answer in place of the token where the service does not know the account
   * @throws {NoAnswer} with nothing sent, where no token is had for another reason
   */
  of(account: UpstreamAccount, deadline: Deadline): Promise<string | Answer>;
  /** Drops a token that was refused where it was used. A newer one that took its place meanwhile stays. */
  drop(account: UpstreamAccount, refused: string): void;
}

/** What is answered, as far as it matters. A token stands in a header, so it is what RFC 6750 lets it be. */
const TokenAnswer = z.object({
  AccessToken: z.string().check(z.regex(/^[\w.~+/-]{1,8192}=*$/)),
  /** Seconds. Without a number that can be used, a token serves until it is refused. */
  expiresIn: z.catch(z.number().check(z.positive()), Number.POSITIVE_INFINITY),
});

interface Token {
  readonly text: string;
  readonly askedAtMs: number;
  /** After how many milliseconds it is renewed, and after how many it serves no longer. */
  readonly renewAfterMs: number;
  readonly lifeMs: number;
}

/** The most that a request for a token may take, in milliseconds, whoever waits for it. */
const OBTAIN_MS = 10_000;
/** How long before its end a token is renewed, in milliseconds; a short-lived one with a tenth of its life left. */
const RENEW_BEFORE_MS = 60_000;

export function upstreamTokens(send: Send, { now, timer }: Time): Tokens {
  const kept = new Map<string, Token>();
  const flights = new Map<string, Promise<string | Answer>>();

  async function obtain(account: UpstreamAccount, key: string): Promise<string | Answer> {
    const askedAtMs = now();
    const answer = await ask(send, account, deadlineAt(askedAtMs + OBTAIN_MS, now));
    if (isLockedOut(answer)) return answer;
    const { status, headers, body } = answer;
    const read = TokenAnswer.safeParse(status === 200 || status === 201 ? parseJson(body) : undefined);
    if (!read.success) throw new NoAnswer(false, `TOKEN_${status}`, saidRetryAfter(headers['retry-after'], now()));
    const { AccessToken: text, expiresIn } = read.data;
    const lifeMs = expiresIn * 1_000;
    const renewAfterMs = lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 10);
    kept.set(key, { text, askedAtMs, renewAfterMs, lifeMs });
    return text;
  }

  function obtainOnce(account: UpstreamAccount, key: string): Promise<string | Answer> {
    const flight = flights.get(key) ?? obtain(account, key).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  return {
    async of(account, deadline) {
      const key = basicHeader(account);
      const token = kept.get(key);
      if (token && elapsedMs(token.askedAtMs, now()) < token.renewAfterMs) return token.text;
      try {
        return await within(deadline, obtainOnce(account, key), timer);
      } catch (error) {
        const mayServe = token && elapsedMs(token.askedAtMs, now()) < token.lifeMs;
        if (error instanceof NoAnswer && mayServe) return token.text;
        throw error;
      }
    },
    drop(account, refused) {
      const key = basicHeader(account);
      if (kept.get(key)?.text === refused) kept.delete(key);
    },
  };
}

/** Whatever becomes of a request for a token, the request that needs it has not been sent. */
async function ask(send: Send, account: UpstreamAccount, deadline: Deadline): Promise<Answer> {
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
