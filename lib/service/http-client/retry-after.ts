const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const MAX_SECONDS = 3_600;

/**
 * Reads a `Retry-After` header (RFC 9110): seconds or a date.
 * @param nowMs milliseconds since 1970
 * @returns seconds from 1 to 3,600; `undefined` if the header is absent or invalid
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const seconds = /^\d{1,15}$/.test(header ?? '')
    ? Number(header)
    : HTTP_DATE.test(header ?? '')
      ? Math.ceil((Date.parse(header ?? '') - nowMs) / 1_000)
      : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), MAX_SECONDS);
}
