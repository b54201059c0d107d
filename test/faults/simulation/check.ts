import { type Simulation, simulate } from './run.ts';
import type { Severity } from './severity.ts';
import type { Subject } from './world.ts';

export const OPERATIONS = 200;

/**
 * Simulates a subject with one seed after the other.
 * @returns how often each kind of operation came to what
 * @throws what was found with the first seed with which anything was
 */
export async function checkSimulations(
  subject: Subject,
  seeds: number,
  first = 1,
  severity?: Severity,
): Promise<Simulation['results']> {
  const results: Record<string, number> = {};
  for (let seed = first; seed < first + seeds; seed++) {
    const simulation = await simulate(subject, seed, OPERATIONS, { severity });
    if (simulation.violations.length > 0) throw new Error(`With seed ${seed}: ${simulation.violations.join('\n')}`);
    for (const [what, count] of Object.entries(simulation.results)) results[what] = (results[what] ?? 0) + count;
  }
  return results;
}

/** The first seed with which anything is found, and what; `undefined` where nothing is. */
export async function firstFound(subject: Subject, seeds: number): Promise<Simulation | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const simulation = await simulate(subject, seed, OPERATIONS);
    if (simulation.violations.length > 0) return simulation;
  }
  return undefined;
}
