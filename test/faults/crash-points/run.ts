import fc from 'fast-check';
import { expect, it } from 'vitest';
import { straight, WAYS, type Way } from '../faulty.ts';
import { expectSame, type Run, repeating } from '../repeating.ts';
import { comparable, snapshotOf } from '../snapshot.ts';
import type { World } from '../world.ts';
import type { Scenario } from './scenarios.ts';

interface Came {
  readonly answer: string;
  readonly snapshot: string;
}

/** Sends a request of a company with a key by a process some of whose calls fail, and repeats it until it succeeds. */
async function run(
  world: World,
  scenario: Scenario,
  wayOf: (call: number) => Way | undefined = () => undefined,
): Promise<Run<Came>> {
  const { companyId, keyId } = await world.newKey();
  const place = { world, companyId, keyId };
  const before = (await scenario.before?.(place, world.process(straight))) ?? '';
  world.nowMs += 1_000;
  const { ending, calls } = await repeating(world, (process) => scenario.request(place, process, before), wayOf);
  if (ending.is === 'refused') throw ending.problem;
  return {
    calls,
    came: { answer: comparable(ending.value, companyId), snapshot: await snapshotOf(world, companyId) },
  };
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
      const { calls, came } = await expectSame(ways, (wayOf) => run(world, scenario, wayOf));
      expect(calls).toBeGreaterThan(2);
      expect(came.snapshot).toContain('"pending": []');
      expect(came.snapshot).not.toMatch(/"text": "(lost|orphan)"/);
    }),
  );

  it.concurrent.each(cases)('%s comes to the same, whatever else fails after that', (_, scenario) =>
    within(async (world) => {
      const { calls, came } = await run(world, scenario);
      const way = fc.option(fc.constantFrom(...ways), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(fc.array(way, { maxLength: 2 * calls }), async (chosen) => {
          expect((await run(world, scenario, (call) => chosen[call - 1])).came).toEqual(came);
        }),
        { numRuns: atRandom },
      );
    }),
  );
}
