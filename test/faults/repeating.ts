import { expect } from 'vitest';
import type { ProblemType } from '../../lib/contract/problems.ts';
import { faulty, straight, type Way } from './faulty.ts';
import { type Ending, endingOf, type Process, REQUEST_MS, type World } from './world.ts';

/** More repetitions than any request needs. */
const MAX_REPETITIONS = 20;

/** After which a request is sent again. */
const PASSING: readonly ProblemType[] = ['unavailable', 'upstream-unavailable', 'outcome-unknown'];

/** What the last of the requests came to, and how many calls the first one made. */
interface Repeated<T> {
  readonly ending: Ending<T>;
  readonly calls: number;
}

/**
 * Sends a request by a process some of whose calls fail, and repeats it by others until it succeeds, or is refused for
 * another reason than calls that failed.
 * @param request sent anew each time
 */
export async function repeating<T>(
  world: World,
  request: (process: Process) => Promise<T>,
  wayOf: (call: number) => Way | undefined,
): Promise<Repeated<T>> {
  const broken = faulty(wayOf, world.failure);
  const sound = world.process(straight);
  const send = (process: Process) => endingOf(() => request(process));
  // A process that stops takes its request along; whoever repeats it comes to another one.
  let ending: Ending<T> | 'stopped' = await Promise.race([send(world.process(broken.through)), broken.stopped]);
  const calls = broken.calls();
  for (let repetition = 0; repetition < MAX_REPETITIONS; repetition++) {
    if (ending !== 'stopped' && !isPassing(world, ending)) return { ending, calls };
    ending = await send(sound);
  }
  throw new Error('The request never succeeds');
}

/** Whether an ending is one after which the request is sent again; where a claim is to be waited for, the time passes. */
function isPassing(world: World, ending: Ending<unknown>): boolean {
  if (ending.is !== 'refused') return false;
  const { name, occurrence } = ending.problem;
  if (name !== 'request-in-progress') return PASSING.includes(name);
  const seconds = occurrence.retryAfterSeconds ?? 0;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(REQUEST_MS / 1_000 + 1);
  world.nowMs += seconds * 1_000;
  return true;
}

/** How many calls a request made, and what it came to. */
export interface Run<T> {
  readonly calls: number;
  readonly came: T;
}

/**
 * Requires the same outcome of a request, whichever of its calls fails in whichever way.
 * @param waysAt the ways in which each call fails
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
