import { deadlineAt } from '../service/deadline.ts';
import { changesSomething, type Operation } from './operations.ts';
import type { Ask } from './request.ts';
import { saidRetryAfter } from './retry-after.ts';
import { HELD_BACK } from './shield.ts';
import { type Answer, NoAnswer } from './transport.ts';

/** What waiting takes. */
export interface RepeatingOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
}

/** How often a request is sent at most. */
export const MOST_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;

/**
 * Asks again after what may be over soon: where nothing can have been done, and for a reading always. No pause takes
 * half of the time that is left, and no reading more than half: what comes after it needs time too.
 */
export function repeating(ask: Ask, { now, sleep, random }: RepeatingOptions): Ask {
  return async (request, call) => {
    const { deadline } = call;
    for (let attempt = 1; ; attempt += 1) {
      const timeMs = Math.floor(deadline.remainingMs() / 2);
      const limited = changesSomething(request.operation)
        ? call
        : { ...call, deadline: deadlineAt(now() + timeMs, now) };
      const end = await endOf(ask(request, limited));
      const atLeastMs = attempt < MOST_ATTEMPTS ? repeatableAfterMs(end, request.operation, now()) : undefined;
      // Those who were refused together do not come again together.
      const pauseMs = (atLeastMs ?? 0) + Math.ceil(random() * FIRST_PAUSE_MS * 2 ** attempt);
      if (atLeastMs === undefined || pauseMs >= deadline.remainingMs() / 2) {
        if (end instanceof NoAnswer) throw end;
        return end;
      }
      await sleep(pauseMs);
    }
  };
}

async function endOf(answer: Promise<Answer>): Promise<Answer | NoAnswer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NoAnswer) return error;
    throw error;
  }
}

/** After how many milliseconds a request may be sent again at the earliest; `undefined` where it may not be. */
function repeatableAfterMs(end: Answer | NoAnswer, operation: Operation, nowMs: number): number | undefined {
  const isReading = !changesSomething(operation);
  if (end instanceof NoAnswer) {
    const mayBeDone = end.sent && !isReading;
    return mayBeDone || end.code === HELD_BACK ? undefined : (end.retryAfterSeconds ?? 0) * 1_000;
  }
  const { status, headers, body } = end;
  const isNotTaken = status === 429 || status === 503;
  if (isNotTaken) return (saidRetryAfter(headers['retry-after'], nowMs) ?? 0) * 1_000;
  return isReading && (status === 408 || status >= 500 || body === 'lost') ? 0 : undefined;
}
