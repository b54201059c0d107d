/** The form of a caller's idempotency key. It has no space, so keys that Segue makes itself have one. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
