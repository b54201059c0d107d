const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Where a service does not say when to come back. */
export const DEFAULT_RETRY_AFTER_SECONDS = 5;
const MAX_SECONDS = 3_600;

/**
 * For how many seconds to wait: what `Retry-After` (RFC 9110) says, as seconds or as a date, from 1 to 3,600.
 * @param nowMs milliseconds since 1970
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number {
  const seconds = /^\d{1,15}$/.test(header ?? '')
    ? Number(header)
    : HTTP_DATE.test(header ?? '')
      ? Math.ceil((Date.parse(header ?? '') - nowMs) / 1_000)
      : Number.NaN;
  return Number.isNaN(seconds) ? DEFAULT_RETRY_AFTER_SECONDS : Math.min(Math.max(seconds, 1), MAX_SECONDS);
}
