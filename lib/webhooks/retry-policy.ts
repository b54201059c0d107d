/** How long a worker has a delivery to itself, in milliseconds. Longer than any worker lives. */
export const LEASE_MS = 60_000;
/** The part of the lease that an attempt's commands may take. */
export const ATTEMPT_MS = 25_000;
/** How often a delivery is tried, and for how long, before it becomes a dead letter. */
export const MAX_ATTEMPTS = 30;
export const OPEN_MS = 86_400_000;
/** How many attempts may fail because the mapping takes too much time or memory. */
export const MAX_OVER_LIMIT = 3;

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 3_600_000;

/**
 * The pause after a failed attempt, in milliseconds. It doubles each time, less a random part of up to half, so that
 * deliveries that failed together are not retried together.
 * @param attempts from 1
 * @param random from 0 to 1
 * @param retryAfterSeconds the shortest pause
 */
export function attemptPauseMs(attempts: number, random: number, retryAfterSeconds = 0): number {
  const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
  return Math.max(Math.round(longest * (1 - random / 2)), retryAfterSeconds * 1_000);
}
