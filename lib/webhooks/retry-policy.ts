/** The number of failed attempts after which a delivery becomes a dead letter. */
export const MAX_ATTEMPTS = 30;
/** How long a delivery may be open, in milliseconds. If a later attempt fails, the delivery becomes a dead letter. */
export const OPEN_MS = 86_400_000;
/** The number of attempts over the mapping's time or memory limit after which a delivery becomes a dead letter. */
export const MAX_OVER_LIMIT = 3;
/** The pauses between attempts at a delivery, in milliseconds. */
export const DELIVERY_BACKOFF = { firstMs: 2_000, longestMs: 3_600_000 };
