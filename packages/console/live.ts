import { useEffect, useState } from 'preact/hooks';

/** The first pause between two looks, and how much each is longer than the last. */
const FIRST_MS = 1_000;
const FACTOR = 1.5;

interface LiveOptions<T> {
  /** Reads the value again. */
  readonly look: () => Promise<T>;
  /** Whether the value will change by itself. If it will not, nobody looks. */
  readonly isUnfinished: (value: T) => boolean;
  /** The longest pause between two looks, in milliseconds. It decides what a page costs that stays open. */
  readonly longestMs: number;
}

/**
 * Follows a value until it is finished, with growing pauses and one request at a time. While nobody sees the page,
 * nothing is requested; then at once. After a failure, the next look is after a longer pause, and the old value stays.
 * @param first the value when the page opened; another one starts again
 */
export function useLive<T>(first: T, { look, isUnfinished, longestMs }: LiveOptions<T>): T {
  const [seen, setSeen] = useState({ first, value: first });
  const value = seen.first === first ? seen.value : first;
  const isActive = isUnfinished(value);
  useEffect(() => {
    if (!isActive) return undefined;
    let isCurrent = true;
    let isLooking = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pauseMs = FIRST_MS;
    const wait = () => {
      if (!isCurrent || document.hidden) return;
      timer = setTimeout(next, pauseMs);
      pauseMs = Math.min(pauseMs * FACTOR, longestMs);
    };
    const next = async () => {
      if (isLooking) return;
      isLooking = true;
      const found = await look().then(
        (value) => ({ value }),
        () => undefined, // The page shows the last value until Segue answers again.
      );
      isLooking = false;
      if (!isCurrent) return;
      if (found) setSeen({ first, value: found.value });
      wait();
    };
    const onVisible = () => {
      clearTimeout(timer);
      if (!document.hidden) void next();
    };
    document.addEventListener('visibilitychange', onVisible);
    wait();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [first, isActive]);
  return value;
}
