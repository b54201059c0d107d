import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { VirtualClock } from './clock.ts';
import { checkSimulations, OPERATIONS, simulate } from './run.ts';
import { OFTEN } from './severity.ts';
import { HOSTED, UPSTREAM } from './subjects.ts';

/** The numbers of seeds of severities whose planted bugs show late. Default: 10. */
const SEEDS: ReadonlyMap<string, number> = new Map([['a replica is stuck', 20]]);

async function traceOf(seed: number): Promise<string> {
  const lines: string[] = [];
  const { violations } = await simulate(UPSTREAM, seed, OPERATIONS, { trace: (line) => lines.push(line) });
  return [...lines, ...violations].join('\n');
}

it('a virtual clock waits for work that repeats a refused commit in the next turn of the event loop', async () => {
  const clock = new VirtualClock();
  const deadline = clock.sleep(30_000);
  const work = async () => {
    await clock.sleep(1);
    const beforeMs = clock.nowMs;
    await setImmediate();
    return clock.nowMs - beforeMs;
  };
  expect(await clock.run(Promise.race([work(), deadline]))).toBe(0);
});

describe('a simulation', () => {
  it('is the same with the same seed, byte for byte, with processes killed and frozen', async () => {
    const trace = await traceOf(7504);
    expect(await traceOf(7504)).toBe(trace);
    expect(await traceOf(7505)).not.toBe(trace);
    expect(trace.split('\n').length).toBeGreaterThan(OPERATIONS * 5);
    for (const hazard of [/ killed$/m, / frozen$/m]) expect(trace).toMatch(hazard);
  });

  it('finds nothing wrong with the hosted service: 20 seeds', { timeout: MUCH_WORK_MS }, async () => {
    const results = await checkSimulations(HOSTED, 20);
    for (const what of ['put: put', 'put: outdated', 'put: scope-missing', 'delete: revision-outdated']) {
      expect(results[what]).toBeGreaterThan(10);
    }
  });

  it.each(['processes stand still', 'the disk is full'] as const)(
    'finds nothing wrong with the hosted service where %s: 20 seeds',
    async (name) => {
      const results = await checkSimulations(HOSTED, 20, 1, OFTEN[name]);
      expect(results['delete: receipt']).toBeGreaterThan(10);
    },
  );
});

describe('Segue in front of an upstream service with every fault', () => {
  const often = Object.entries(OFTEN).map(([name, severity]) => [name, SEEDS.get(name) ?? 10, severity] as const);

  it.each(often)('does right where %s: %i seeds', { timeout: MUCH_WORK_MS }, async (_, seeds, severity) => {
    await checkSimulations(UPSTREAM, seeds, 1, severity);
  });

  it('does right: 40 seeds', { timeout: MUCH_WORK_MS }, async () => {
    const results = await checkSimulations(UPSTREAM, 40);
    const creations = ['create: project', 'create: outcome-unknown', 'create: lost'];
    for (const what of [...creations, 'delete: receipt', 'put: put', 'put: outdated', 'put: not-supported']) {
      expect(results[what]).toBeGreaterThan(10);
    }
  });
});
