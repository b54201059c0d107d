import { expect } from 'vitest';
import type { Storage } from '../../lib/storage/port.ts';
import { faulty, type Way } from './faulty.ts';
import { type Ending, endingOf, REQUEST_MS, type World } from './world.ts';

/** More repetitions than any request needs. */
const MOST_REPETITIONS = 20;

/** What the last of the requests came to, and how many calls of the store the first one made. */
export interface Repeated<T> {
  readonly ending: Ending<T>;
  readonly calls: number;
}

/**
 * Sends a request to a store that fails, and repeats it until it succeeds, or is refused for another reason than a store
 * that failed.
 * @param request sent anew each time, as a process of its own would
 */
export async function repeating<T>(
  world: World,
  request: (storage: Storage) => Promise<T>,
  wayOf: (call: number) => Way | undefined,
): Promise<Repeated<T>> {
  const broken = faulty(world.storage, wayOf);
  // A process that stops takes its request along; whoever repeats it comes to another one.
  const send = (storage: Storage) => endingOf(() => request(storage));
  let ending: Ending<T> | 'stopped' = await Promise.race([send(broken.storage), broken.stopped]);
  const calls = broken.calls();
  for (let repetition = 0; repetition < MOST_REPETITIONS; repetition++) {
    if (ending !== 'stopped' && !isPassing(world, ending)) return { ending, calls };
    ending = await send(world.storage);
  }
  throw new Error('The request never succeeds');
}

/** Whether an ending is one after which the request is sent again; where a claim is to be waited for, the time passes. */
function isPassing(world: World, ending: Ending<unknown>): boolean {
  if (ending.is !== 'refused') return false;
  const { name, occurrence } = ending.problem;
  if (name !== 'request-in-progress') return name === 'unavailable' || name === 'outcome-unknown';
  const seconds = occurrence.retryAfterSeconds ?? 0;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(REQUEST_MS / 1_000 + 1);
  world.nowMs += seconds * 1_000;
  return true;
}

/** Requires a request to come to the same, whichever of its calls of the store fails in whichever way. */
export async function expectSame<T>(
  ways: readonly Way[],
  run: (wayOf: (call: number) => Way | undefined) => Promise<{ readonly calls: number; readonly came: T }>,
): Promise<void> {
  const faultless = await run(() => undefined);
  expect(faultless.calls).toBeGreaterThan(0);
  for (let failing = 1; failing <= faultless.calls; failing++) {
    for (const way of ways) {
      const { came } = await run((call) => (call === failing ? way : undefined));
      expect({ failing, way, came }).toEqual({ failing, way, came: faultless.came });
    }
  }
}
