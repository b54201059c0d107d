/** How many failures in a row show that the service is down. */
export const FAILURES_TO_OPEN = 10;
/** For how long nothing is sent to it then, in milliseconds. */
export const OPEN_MS = 5_000;
/** Said while a probe is under way: nobody knows for how long. */
const PROBING_SECONDS = 1;

/** What is known of the service: it is asked, it is not, or one request finds out whether it may be asked again. */
export type BreakerState =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly untilMs: number }
  | { readonly kind: 'half-open' };

export const CLOSED: BreakerState = { kind: 'closed', failures: 0 };

/** What a request that was let through shows: the service works, fails as a whole, or takes nothing until a moment. */
export type Sign = 'working' | 'failing' | { readonly untilMs: number };

/** Whether a request is let through, and what is known from then on. */
export type Entry =
  | { readonly state: BreakerState; readonly pass: 'ordinary' | 'probe' }
  | { readonly state: BreakerState; readonly pass: 'none'; readonly retryAfterSeconds: number };

/** A request comes. One that is let through must `leave` in the end. */
export function enter(state: BreakerState, nowMs: number): Entry {
  switch (state.kind) {
    case 'closed':
      return { state, pass: 'ordinary' };
    case 'open':
      if (nowMs >= state.untilMs) return { state: { kind: 'half-open' }, pass: 'probe' };
      return { state, pass: 'none', retryAfterSeconds: Math.ceil((state.untilMs - nowMs) / 1_000) };
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
      return typeof sign === 'object' ? { kind: 'open', untilMs: Math.max(state.untilMs, sign.untilMs) } : state;
    case 'half-open':
      return pass === 'probe' ? judged(FAILURES_TO_OPEN, sign, nowMs) : state;
  }
}

/** @param failures in a row, if this is one */
function judged(failures: number, sign: Sign, nowMs: number): BreakerState {
  if (typeof sign === 'object') return { kind: 'open', untilMs: sign.untilMs };
  if (sign === 'working') return CLOSED;
  return failures < FAILURES_TO_OPEN ? { kind: 'closed', failures } : { kind: 'open', untilMs: nowMs + OPEN_MS };
}
