import { elapsedMs } from '../contract/elapsed.ts';

/** How many failures in a row show that the service is down. */
export const FAILURES_TO_OPEN = 10;
/** For how long nothing is sent to it then, in milliseconds. */
export const OPEN_MS = 5_000;
/** Said while a probe is under way: nobody knows for how long. */
const PROBING_SECONDS = 1;

/** What is known of the service: it is asked, it is not, or one request finds out whether it may be asked again. */
export type BreakerState =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly sinceMs: number; readonly forMs: number }
  | { readonly kind: 'half-open' };

export const CLOSED: BreakerState = { kind: 'closed', failures: 0 };

/** What a request that was let through shows: the service works, fails as a whole, or takes nothing for some time. */
export type Sign = 'working' | 'failing' | { readonly forMs: number };

/** Whether a request is let through, and what is known from then on. */
export type Entry =
  | { readonly state: BreakerState; readonly pass: 'ordinary' | 'probe' }
  | { readonly state: BreakerState; readonly pass: 'none'; readonly retryAfterSeconds: number };

/** A request comes. One that is let through must `leave` in the end. */
export function enter(state: BreakerState, nowMs: number): Entry {
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

/** A request that was let through has ended. While nothing but a probe is sent, the others only tell of before. */
export function leave(state: BreakerState, pass: 'ordinary' | 'probe', sign: Sign, nowMs: number): BreakerState {
  switch (state.kind) {
    case 'closed':
      return judged(state.failures + 1, sign, nowMs);
    case 'open':
      return typeof sign === 'object' && sign.forMs > leftOf(state, nowMs) ? judged(0, sign, nowMs) : state;
    case 'half-open':
      return pass === 'probe' ? judged(FAILURES_TO_OPEN, sign, nowMs) : state;
  }
}

/** For how long nothing is sent yet, in milliseconds. */
function leftOf({ sinceMs, forMs }: Extract<BreakerState, { kind: 'open' }>, nowMs: number): number {
  return forMs - elapsedMs(sinceMs, nowMs);
}

/** @param failures in a row, if this is one */
function judged(failures: number, sign: Sign, nowMs: number): BreakerState {
  if (typeof sign === 'object') return { kind: 'open', sinceMs: nowMs, forMs: sign.forMs };
  if (sign === 'working') return CLOSED;
  return failures < FAILURES_TO_OPEN ? { kind: 'closed', failures } : { kind: 'open', sinceMs: nowMs, forMs: OPEN_MS };
}
