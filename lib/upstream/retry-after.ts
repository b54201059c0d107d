const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Where a service does not say when to come back. */
export const DEFAULT_RETRY_AFTER_SECONDS = 5;
const MAX_SECONDS = 3_600;

/**
 * For how many seconds to wait: what `Retry-After` (RFC 9110) says, as seconds or as a date, from 1 to 3,600.
 * @param nowMs milliseconds since 1970
 * @returns `undefined` where it says nothing that can be read
 */
export function saidRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const seconds = /^\d{1,15}$/.test(header ?? '')
    ? Number(header)
    : HTTP_DATE.test(header ?? '')
      ? Math.ceil((Date.parse(header ?? '') - nowMs) / 1_000)
      : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), MAX_SECONDS);
}

/** The same, and what is said in its place where it cannot be read. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number {
  return saidRetryAfter(header, nowMs) ?? DEFAULT_RETRY_AFTER_SECONDS;
}
