import fc from 'fast-check';
import { expect, it } from 'vitest';
import { faulty, WAYS, type Way } from '../faulty.ts';
import { comparable, snapshotOf } from '../snapshot.ts';
import { type Ending, endingOf, REQUEST_MS, type World } from '../world.ts';
import type { Scenario } from './scenarios.ts';

interface Run {
  readonly answer: string;
  readonly snapshot: string;
  /** Calls that the first request made. */
  readonly calls: number;
}

/** More repetitions than any request needs. */
const MOST_REPETITIONS = 20;

/** Sends a request by a process some of whose calls fail, and repeats it by others until it succeeds. */
async function run(world: World, scenario: Scenario, wayOf: (call: number) => Way | undefined): Promise<Run> {
  const companyId = world.newCompany();
  const place = { world, companyId };
  const sound = world.process((call) => call());
  const before = (await scenario.before?.(place, sound)) ?? '';
  world.nowMs += 1_000;
  const broken = faulty(wayOf, world.failure);
  const send = (process = sound) => endingOf(() => scenario.request(place, process, before));
  // A process that stops takes its request along; whoever repeats it comes to another one.
  let ending: Ending<string> | 'stopped' = await Promise.race([send(world.process(broken.through)), broken.stopped]);
  const calls = broken.calls();
  for (let repetition = 0; repetition < MOST_REPETITIONS; repetition++) {
    if (ending !== 'stopped' && ending.is !== 'refused') {
      return { answer: comparable(ending.value, companyId), snapshot: await snapshotOf(world, companyId), calls };
    }
    if (ending !== 'stopped' && ending.problem.name === 'request-in-progress') {
      const seconds = ending.problem.occurrence.retryAfterSeconds ?? 0;
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(REQUEST_MS / 1_000 + 1);
      world.nowMs += seconds * 1_000;
    } else if (ending !== 'stopped') {
      expect(['unavailable', 'outcome-unknown']).toContain(ending.problem.name);
    }
    ending = await send();
  }
  throw new Error('The request never succeeds');
}

export interface CrashPoints {
  /** Makes a world of its own for each test. */
  readonly open: () => World | Promise<World>;
  readonly scenarios: Readonly<Record<string, Scenario>>;
  /** How calls fail; every way unless given. */
  readonly ways?: readonly Way[];
  /** How often calls fail at random. */
  readonly atRandom: number;
}

/** What must hold of every request, wherever whoever works on it fails. Most of the time is spent in waiting. */
export function describeCrashPoints({ open, scenarios, ways = WAYS, atRandom }: CrashPoints): void {
  const within = async (test: (world: World) => Promise<void>) => {
    const world = await open();
    try {
      await test(world);
    } finally {
      world.close();
    }
  };
  const cases = Object.entries(scenarios);

  it.concurrent.each(cases)('%s comes to the same, whichever call fails in whichever way', (_, scenario) =>
    within(async (world) => {
      const faultless = await run(world, scenario, () => undefined);
      expect(faultless.calls).toBeGreaterThan(2);
      expect(faultless.snapshot).toContain('"pending": []');
      expect(faultless.snapshot).not.toMatch(/"text": "(lost|orphan)"/);
      for (let failing = 1; failing <= faultless.calls; failing++) {
        for (const way of ways) {
          const repeated = await run(world, scenario, (call) => (call === failing ? way : undefined));
          expect({ failing, way, ...repeated, calls: 0 }).toEqual({ failing, way, ...faultless, calls: 0 });
        }
      }
    }),
  );

  it.concurrent.each(cases)('%s comes to the same, whatever else fails after that', (_, scenario) =>
    within(async (world) => {
      const faultless = await run(world, scenario, () => undefined);
      const way = fc.option(fc.constantFrom(...ways), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(fc.array(way, { maxLength: 2 * faultless.calls }), async (chosen) => {
          const { answer, snapshot } = await run(world, scenario, (call) => chosen[call - 1]);
          expect({ answer, snapshot }).toEqual({ answer: faultless.answer, snapshot: faultless.snapshot });
        }),
        { numRuns: atRandom },
      );
    }),
  );
}
