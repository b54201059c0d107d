import { failureOf, unavailable } from './failures.ts';
import { pause } from './pause.ts';

const MOST_ATTEMPTS = 2;

/**
 * Makes a call that changes nothing, and once more where that may help.
 * @throws {Problem} `unavailable`
 */
export async function reading<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !failureOf(error).isPassing) throw unavailable(error);
      await pause(attempt);
    }
  }
}
