import type { Deadline } from '../service/deadline.ts';
import { NoAnswer, OUT_OF_TIME } from './transport.ts';

/**
 * Waits for work that others wait for too, as long as there is time.
 * @throws {NoAnswer} where the time is over first; the work goes on
 */
export async function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(false, OUT_OF_TIME)), deadline.remainingMs());
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
