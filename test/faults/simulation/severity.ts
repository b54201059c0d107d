import { allAt } from '../../../packages/simulator/faults.ts';
import { randomFrom } from '../../../packages/simulator/random.ts';
import { type Hazards, NO_HAZARDS } from './process.ts';
import type { WorldOptions } from './world.ts';

/** The rates of faults and hazards in a simulated world. */
export type Severity = Pick<WorldOptions, 'rates' | 'hazards' | 'areCustomIdsFree' | 'areForeign' | 'projectsADay'>;

/** Disables duplicated requests. If the service creates two projects for one request, no client can repair that. */
const NEVER_TWICE = { twice: 0 };
/** Disables stuck replicas. They have worlds of their own, some with deletions that a proxy sends twice. */
const NEVER_STUCK = { 'stuck-replica': 0 };
/**
 * Rates of worlds with stuck replicas. Archived deletions are disabled: with 204, a replica that does not know a young
 * project hides that it was only archived.
 */
const MAY_BE_STUCK = { ...NEVER_TWICE, archived: 0 };

/** Returns the severity of a seed. Some worlds are calm, most are bad, and a few are very bad. */
export function severityOf(seed: number): Severity {
  const random = randomFrom(seed);
  const rate = random.pick([0, 0.002, 0.01, 0.01, 0.03]);
  const hazard = random.pick([0, 0.0005, 0.002, 0.01]);
  const areCustomIdsFree = random.chance(0.3);
  const isTwice = !areCustomIdsFree && random.chance(0.5);
  return {
    rates: { ...allAt(rate), 'accepted-for-hours': 10 * rate, ...(isTwice ? NEVER_STUCK : MAY_BE_STUCK) },
    hazards: { kill: hazard, freeze: hazard, stall: hazard / 4, setBack: hazard / 4, full: 0, store: hazard / 2 },
    areCustomIdsFree,
    // If another client's newer project has the same custom id, nobody can find a project whose answer was lost.
    areForeign: !areCustomIdsFree && random.chance(0.5),
    projectsADay: random.chance(0.3) ? 5 + random.below(10) : undefined,
  };
}

/** Returns a world in which little goes wrong except for one thing. */
function worldWith(rates: WorldOptions['rates'], hazards: Partial<Hazards> = {}, areForeign = false): Severity {
  return {
    rates: { ...allAt(0.002), ...rates },
    hazards: { ...NO_HAZARDS, ...hazards },
    areCustomIdsFree: false,
    areForeign,
    projectsADay: undefined,
  };
}

/** Worlds in which one thing often goes wrong, by the description of that thing. */
export const OFTEN = {
  'a replica is stuck': worldWith({ 'stuck-replica': 0.1, ...MAY_BE_STUCK }),
  'deletions are accepted for hours': worldWith({ 'accepted-for-hours': 0.5, ...NEVER_STUCK }, { kill: 0.001 }),
  'other clients use the same custom ids': worldWith({ 'reset-after-commit': 0.02, ...NEVER_STUCK }, {}, true),
  'a replica is stuck and a proxy sends deletions twice': worldWith({ 'stuck-replica': 0.1, archived: 0, twice: 0.1 }),
  'clocks are set back': worldWith({ 'rate-limited': 0.05, ...NEVER_STUCK }, { setBack: 0.003 }),
  'the disk is full': worldWith(NEVER_STUCK, { full: 0.02, kill: 0.002, store: 0.001 }),
  'processes stand still': worldWith(NEVER_STUCK, { freeze: 0.02, stall: 0.005 }),
} as const;
