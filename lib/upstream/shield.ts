import { type BreakerState, CLOSED, enter, leave, type Sign } from './breaker.ts';
import type { UpstreamAccount } from './credentials.ts';
import { saidRetryAfter } from './retry-after.ts';
import { type Answer, type Exchange, NoAnswer, OUT_OF_TIME, type Transport } from './transport.ts';

/** The code of an exchange that was not begun, because the service is known to take none for now. */
export const HELD_BACK = 'HELD_BACK';
/** The code of an exchange that was not begun, because another one finds out just now whether it may. */
const PROBING = 'PROBING';

/**
 * Sends a request for an account.
 * @throws {NoAnswer}
 */
export type Send = (account: UpstreamAccount, exchange: Exchange) => Promise<Answer>;

/**
 * Spares a service in trouble: while it fails, or has asked to be left alone, nothing is sent. Accounts are apart,
 * because a service may limit one of them and not the others.
 * @param now milliseconds since 1970
 */
export function shielded(transport: Transport, now: () => number): Send {
  const states = new Map<string, BreakerState>();
  const stateOf = ({ companyId }: UpstreamAccount) => states.get(companyId) ?? CLOSED;

  return async (account, exchange) => {
    // Who comes too late learns nothing about the service.
    if (exchange.deadline.remainingMs() <= 0) throw new NoAnswer(false, OUT_OF_TIME);
    const entry = enter(stateOf(account), now());
    states.set(account.companyId, entry.state);
    if (entry.pass === 'none') {
      throw new NoAnswer(false, entry.state.kind === 'open' ? HELD_BACK : PROBING, entry.retryAfterSeconds);
    }
    let sign: Sign = 'failing';
    try {
      const answer = await transport(exchange);
      sign = signOf(answer, now());
      return answer;
    } finally {
      states.set(account.companyId, leave(stateOf(account), entry.pass, sign, now()));
    }
  };
}

function signOf({ status, headers, body }: Answer, nowMs: number): Sign {
  const seconds = status === 429 || status === 503 ? saidRetryAfter(headers['retry-after'], nowMs) : undefined;
  if (seconds !== undefined) return { forMs: seconds * 1_000 };
  return status >= 500 || body === 'lost' ? 'failing' : 'working';
}
