/** How long a worker has a delivery to itself: longer than any of them lives. */
export const LEASE_MS = 60_000;
/** The most that one attempt may take of it. */
export const ATTEMPT_MS = 25_000;
/** How often a delivery is tried, and for how long, before it is a dead letter. */
export const MOST_ATTEMPTS = 30;
export const OPEN_MS = 86_400_000;
/** How many attempts may fail because the mapping takes too much time or memory. */
export const MOST_OVER_LIMIT = 3;

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * How long to wait after an attempt: twice as long each time, and by chance up to half of it less, so that what failed
 * together does not come back together. Never less than was asked for.
 * @param random from 0 to 1
 */
export function pauseMs(attempts: number, random: number, retryAfterSeconds = 0): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
  return Math.max(Math.round(longest * (1 - random / 2)), retryAfterSeconds * 1_000);
}
