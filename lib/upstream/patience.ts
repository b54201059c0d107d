import type { Deadline } from '../service/deadline.ts';

/** The first pause between two looks, in milliseconds; each is twice the one before. */
const FIRST_MS = 100;
const LONGEST_MS = 4_000;

/** Pauses that grow, while there is time for them. */
export interface Patience {
  /** Waits a while. @returns `false`, without waiting, where the time would be over then */
  pause(): Promise<boolean>;
}

export function patience(sleep: (ms: number) => Promise<void>, deadline: Deadline): Patience {
  let nextMs = FIRST_MS;
  return {
    async pause() {
      const ms = nextMs;
      nextMs = Math.min(2 * ms, LONGEST_MS);
      if (deadline.remainingMs() <= ms) return false;
      await sleep(ms);
      return true;
    },
  };
}
