/** A delivery becomes a dead letter after so many attempts. */
export const MAX_ATTEMPTS = 30;
/** A delivery becomes a dead letter after so many milliseconds. */
export const OPEN_MS = 86_400_000;
/** How many attempts may fail because the mapping takes too much time or memory. */
export const MAX_OVER_LIMIT = 3;
/** The pauses between the attempts. */
export const DELIVERY_BACKOFF = { firstMs: 2_000, longestMs: 3_600_000 };
