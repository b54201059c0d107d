import { elapsedMs } from '../contract/elapsed.ts';
import type { HttpAccount, SendAs } from '../service/http-client/authorize.ts';
import { retryAfterSeconds } from '../service/http-client/retry-after.ts';
import { NoAnswer, OUT_OF_TIME, type Transport, type TransportResponse } from '../service/http-client/transport.ts';

/** The code of a request that an open circuit breaker held back. */
export const HELD_BACK = 'HELD_BACK';
/** The code of a request that was held back while another one probes the service. */
const PROBING = 'PROBING';

/** How many failures in a row open the circuit breaker. */
export const FAILURES_TO_OPEN = 10;
/** How long it stays open, in milliseconds. */
export const OPEN_MS = 5_000;
/** Nobody knows how long a probe takes. */
const PROBING_SECONDS = 1;

/** Closed lets requests pass, open holds them back, half-open lets one request probe the service. */
export type BreakerState =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly sinceMs: number; readonly forMs: number }
  | { readonly kind: 'half-open' };

export const CLOSED: BreakerState = { kind: 'closed', failures: 0 };

/** What a request showed: the service works, fails, or asked for a pause. */
export type HealthSign = 'working' | 'failing' | { readonly forMs: number };

/** Whether a request may pass, and the state from then on. */
export type BreakerEntry =
  | { readonly state: BreakerState; readonly pass: 'ordinary' | 'probe' }
  | { readonly state: BreakerState; readonly pass: 'none'; readonly retryAfterSeconds: number };

/**
 * Holds requests back while the service fails or has asked for a pause. Each account has its own circuit breaker, because
 * a service may limit one account and not the others.
 * @param now milliseconds since 1970
 */
export function circuitBreaker(transport: Transport, now: () => number): SendAs {
  const states = new Map<string, BreakerState>();
  const stateOf = ({ companyId }: HttpAccount) => states.get(companyId) ?? CLOSED;

  return async (account, request) => {
    // A request without time would show nothing about the service.
    if (request.deadline.remainingMs() <= 0) throw new NoAnswer(false, OUT_OF_TIME);
    const entry = enter(stateOf(account), now());
    states.set(account.companyId, entry.state);
    if (entry.pass === 'none') {
      throw new NoAnswer(false, entry.state.kind === 'open' ? HELD_BACK : PROBING, entry.retryAfterSeconds);
    }
    let sign: HealthSign = 'failing';
    try {
      const response = await transport(request);
      sign = signOf(response, now());
      return response;
    } finally {
      states.set(account.companyId, leave(stateOf(account), entry.pass, sign, now()));
    }
  };
}

function signOf({ status, headers, body }: TransportResponse, nowMs: number): HealthSign {
  const seconds = status === 429 || status === 503 ? retryAfterSeconds(headers['retry-after'], nowMs) : undefined;
  if (seconds !== undefined) return { forMs: seconds * 1_000 };
  return status >= 500 || body === 'lost' ? 'failing' : 'working';
}

/** Decides whether a request may pass. One that passes must `leave` in the end. */
export function enter(state: BreakerState, nowMs: number): BreakerEntry {
  switch (state.kind) {
    case 'closed':
      return { state, pass: 'ordinary' };
    case 'open': {
      const leftMs = leftOf(state, nowMs);
      if (leftMs <= 0) return { state: { kind: 'half-open' }, pass: 'probe' };
      return { state, pass: 'none', retryAfterSeconds: Math.ceil(leftMs / 1_000) };
    }
    case 'half-open':
      return { state, pass: 'none', retryAfterSeconds: PROBING_SECONDS };
  }
}

/** The state after a request that passed. While a probe is under way, older requests change nothing. */
export function leave(state: BreakerState, pass: 'ordinary' | 'probe', sign: HealthSign, nowMs: number): BreakerState {
  switch (state.kind) {
    case 'closed':
      return nextState(state.failures + 1, sign, nowMs);
    case 'open':
      return typeof sign === 'object' && sign.forMs > leftOf(state, nowMs) ? nextState(0, sign, nowMs) : state;
    case 'half-open':
      return pass === 'probe' ? nextState(FAILURES_TO_OPEN, sign, nowMs) : state;
  }
}

/** How long the circuit breaker stays open, in milliseconds. */
function leftOf({ sinceMs, forMs }: Extract<BreakerState, { kind: 'open' }>, nowMs: number): number {
  return forMs - elapsedMs(sinceMs, nowMs);
}

/** @param failures in a row, if this is one */
function nextState(failures: number, sign: HealthSign, nowMs: number): BreakerState {
  if (typeof sign === 'object') return { kind: 'open', sinceMs: nowMs, forMs: sign.forMs };
  if (sign === 'working') return CLOSED;
  return failures < FAILURES_TO_OPEN ? { kind: 'closed', failures } : { kind: 'open', sinceMs: nowMs, forMs: OPEN_MS };
}
