/**
 * How long ago a moment was, in milliseconds. If the moment lies in the future, the clock has been set back since then.
 * Nobody knows how long ago it was, so any interval that began then is over.
 * @param sinceMs milliseconds since 1970, by the same clock as `nowMs`
 */
export function elapsedMs(sinceMs: number, nowMs: number): number {
  return nowMs < sinceMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;
}
