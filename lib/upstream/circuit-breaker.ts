import { elapsedMs } from '../contract/date.ts';
import { isLookupPath } from '../contract/paths.ts';
import { NoAnswer, OUT_OF_TIME, type Transport, type TransportResponse } from '../service/http-client/exchange.ts';
import type { SendAs } from '../service/http-client/sign-in.ts';
import { retryAfterSeconds } from '../service/retry.ts';

/** The `code` of the `NoAnswer` for a request that an open circuit breaker held back. */
export const HELD_BACK = 'HELD_BACK';
/** The `code` of the `NoAnswer` for a request that was held back while another request probes the service. */
const PROBING = 'PROBING';

/** How many failures in a row open the circuit breaker. */
export const FAILURES_TO_OPEN = 10;
/** How long the circuit breaker stays open after these failures, in milliseconds. */
export const OPEN_MS = 5_000;
/**
 * The `Retry-After` of a request that is held back during a probe, in seconds. It is a guess, because a probe may take
 * any time.
 */
const PROBING_SECONDS = 1;

/**
 * Creates a function that sends requests. It holds requests back while the upstream service fails or has asked for a
 * pause. Each account has its own circuit breaker, because a service may limit one account and not the others. The lookups of
 * an account have another one, because another service behind the same address may answer them.
 * @param now returns the current time, in milliseconds since 1970
 */
export function circuitBreaker(transport: Transport, now: () => number): SendAs {
  const breakers = new Map<string, CircuitBreaker>();

  return async ({ companyId }, request) => {
    const name = JSON.stringify([companyId, isLookupPath(request.path)]);
    // A request without time left says nothing about the service, so it does not count.
    if (request.deadline.remainingMs() <= 0) throw new NoAnswer(false, OUT_OF_TIME);
    const breaker = breakers.get(name) ?? new CircuitBreaker();
    breakers.set(name, breaker);
    const pass = breaker.enter(now());
    let sign: HealthSign = 'failing';
    try {
      const response = await transport(request);
      sign = signOf(response, now());
      return response;
    } finally {
      breaker.leave(pass, sign, now());
    }
  };
}

/** The state of the service as a request showed it: the service works, fails, or asked for a pause of `forMs`. */
export type HealthSign = 'working' | 'failing' | { readonly forMs: number };

function signOf({ status, headers, body }: TransportResponse, nowMs: number): HealthSign {
  const seconds = status === 429 || status === 503 ? retryAfterSeconds(headers['retry-after'], nowMs) : undefined;
  if (seconds !== undefined) return { forMs: seconds * 1_000 };
  return status >= 500 || body === 'lost' ? 'failing' : 'working';
}

/**
 * The state of a circuit breaker: `closed` lets requests pass, `open` holds them back, and `half-open` lets one request
 * probe the service.
 */
type State =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly sinceMs: number; readonly forMs: number }
  | { readonly kind: 'half-open' };

/** The circuit breaker of one account. */
export class CircuitBreaker {
  #state: State = { kind: 'closed', failures: 0 };

  /**
   * Lets a request pass. Call `leave` when the request has ended.
   * @throws {NoAnswer} if the request is held back; it says after how many seconds to try again
   */
  enter(nowMs: number): 'ordinary' | 'probe' {
    if (this.#state.kind === 'closed') return 'ordinary';
    if (this.#state.kind === 'half-open') throw new NoAnswer(false, PROBING, PROBING_SECONDS);
    const leftMs = this.#leftMs(nowMs);
    if (leftMs > 0) throw new NoAnswer(false, HELD_BACK, Math.ceil(leftMs / 1_000));
    this.#state = { kind: 'half-open' };
    return 'probe';
  }

  /**
   * Updates the state after a request that `enter` let pass. If the circuit breaker is not closed, an ordinary request
   * can only prolong the pause.
   */
  leave(pass: 'ordinary' | 'probe', sign: HealthSign, nowMs: number): void {
    const { kind } = this.#state;
    const isProlonged = kind === 'open' && typeof sign === 'object' && sign.forMs > this.#leftMs(nowMs);
    if (kind !== 'closed' && !isProlonged && !(kind === 'half-open' && pass === 'probe')) return;
    const failures = this.#state.kind === 'closed' ? this.#state.failures + 1 : FAILURES_TO_OPEN;
    if (sign === 'working') this.#state = { kind: 'closed', failures: 0 };
    else if (typeof sign === 'object') this.#state = { kind: 'open', sinceMs: nowMs, forMs: sign.forMs };
    else if (failures < FAILURES_TO_OPEN) this.#state = { kind: 'closed', failures };
    else this.#state = { kind: 'open', sinceMs: nowMs, forMs: OPEN_MS };
  }

  /** Returns for how much longer the circuit breaker stays open, in milliseconds. */
  #leftMs(nowMs: number): number {
    return this.#state.kind === 'open' ? this.#state.forMs - elapsedMs(this.#state.sinceMs, nowMs) : 0;
  }
}
