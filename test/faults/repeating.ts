import { expect } from 'vitest';
import type { ProblemType } from '../../lib/contract/problems.ts';
import { faulty, straight, type Way } from './faulty.ts';
import { type Ending, endingOf, type Process, REQUEST_MS, type World } from './world.ts';

/** The limit for repetitions of a request. No request needs as many. */
const MAX_REPETITIONS = 20;

/** The problems after which a request is sent again. */
const PASSING: readonly ProblemType[] = [
  'unavailable',
  'upstream-unavailable',
  'outcome-unknown',
  'request-in-progress',
];

/** The result of the last request, and the number of calls of the first one. */
interface Repeated<T> {
  readonly ending: Ending<T>;
  readonly calls: number;
}

/**
 * Sends a request through a process with failing calls, and repeats it through other processes. It ends when the
 * request succeeds or is refused for a reason other than a failed call.
 * @param request sends a new request each time
 */
export async function repeating<T>(
  world: World,
  request: (process: Process) => Promise<T>,
  wayOf: (call: number) => Way | undefined,
): Promise<Repeated<T>> {
  const broken = faulty(wayOf, world.failure);
  const sound = world.process(straight);
  const send = (process: Process) => endingOf(() => request(process));
  // The request of a stopped process never ends. A repetition goes to another process.
  let ending: Ending<T> | 'stopped' = await Promise.race([send(world.process(broken.through)), broken.stopped]);
  const calls = broken.calls();
  for (let repetition = 0; repetition < MAX_REPETITIONS; repetition++) {
    if (ending !== 'stopped' && !isPassing(world, ending)) return { ending, calls };
    ending = await send(sound);
  }
  throw new Error('The request never succeeds');
}

/** Whether the request is sent again after this result. Moves the clock forward by the time in `Retry-After`. */
function isPassing(world: World, ending: Ending<unknown>): boolean {
  if (ending.is !== 'refused') return false;
  const { name, occurrence } = ending.problem;
  if (!PASSING.includes(name)) return false;
  const seconds = occurrence.retryAfterSeconds ?? 0;
  if (name === 'request-in-progress') expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(REQUEST_MS / 1_000 + 1);
  world.nowMs += seconds * 1_000;
  return true;
}

/** The number of calls of a request, and its result. */
export interface Run<T> {
  readonly calls: number;
  readonly came: T;
}

/**
 * Requires that a request has the same outcome, whichever of its calls fails, and however it fails.
 * @param waysAt returns the ways in which a call fails
 * @returns the outcome without a failure
 */
export async function expectSame<T>(
  waysAt: (call: number) => readonly Way[],
  run: (wayOf: (call: number) => Way | undefined) => Promise<Run<T>>,
): Promise<Run<T>> {
  const faultless = await run(() => undefined);
  expect(faultless.calls).toBeGreaterThan(0);
  for (let failing = 1; failing <= faultless.calls; failing++) {
    for (const way of waysAt(failing)) {
      const { came } = await run((call) => (call === failing ? way : undefined));
      expect({ failing, way, came }).toEqual({ failing, way, came: faultless.came });
    }
  }
  return faultless;
}
