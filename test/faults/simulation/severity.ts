import { allAt } from '../../../local/simulator/faults.ts';
import { randomFrom } from '../../../local/simulator/random.ts';
import { type Hazards, NO_HAZARDS } from './process.ts';
import type { WorldOptions } from './world.ts';

/** How bad a world is. */
export type Severity = Pick<WorldOptions, 'rates' | 'hazards' | 'areCustomIdsFree' | 'areForeign'>;

/** What a proxy sends twice to a service that makes two of it, no client can make one again. */
const NEVER_TWICE = { twice: 0 };
/** Stuck replicas have worlds of their own, some with deletions that a proxy sends twice. */
const NEVER_STUCK = { 'stuck-replica': 0 };
/** A replica that does not know a young project hides that the service has only archived it, and has said 204. */
const MAY_BE_STUCK = { ...NEVER_TWICE, archived: 0 };

/** Some worlds are calm, most are bad, and a few are terrible. */
export function severityOf(seed: number): Severity {
  const random = randomFrom(seed);
  const rate = random.pick([0, 0.002, 0.01, 0.01, 0.03]);
  const hazard = random.pick([0, 0.0005, 0.002, 0.01]);
  const areCustomIdsFree = random.chance(0.3);
  const isTwice = !areCustomIdsFree && random.chance(0.5);
  return {
    rates: { ...allAt(rate), 'accepted-for-hours': 10 * rate, ...(isTwice ? NEVER_STUCK : MAY_BE_STUCK) },
    hazards: { kill: hazard, freeze: hazard, stall: hazard / 4, setBack: hazard / 4, store: hazard / 2 },
    areCustomIdsFree,
    // Behind another client's newer project with its custom id, nobody can find a project whose answer was lost.
    areForeign: !areCustomIdsFree && random.chance(0.5),
  };
}

/** A world in which little goes wrong but for one thing. */
function worldWith(rates: WorldOptions['rates'], hazards: Partial<Hazards> = {}, areForeign = false): Severity {
  return {
    rates: { ...allAt(0.002), ...rates },
    hazards: { ...NO_HAZARDS, ...hazards },
    areCustomIdsFree: false,
    areForeign,
  };
}

/** Worlds in which one thing goes wrong often, each by what that is. */
export const OFTEN = {
  'a replica is stuck': worldWith({ 'stuck-replica': 0.1, ...MAY_BE_STUCK }),
  'deletions are accepted for hours': worldWith({ 'accepted-for-hours': 0.5, ...NEVER_STUCK }, { kill: 0.001 }),
  'other clients use the same custom ids': worldWith({ 'reset-after-commit': 0.02, ...NEVER_STUCK }, {}, true),
  'a replica is stuck and a proxy sends deletions twice': worldWith({ 'stuck-replica': 0.1, archived: 0, twice: 0.1 }),
  'clocks are set back': worldWith({ 'rate-limited': 0.05, ...NEVER_STUCK }, { setBack: 0.003 }),
  'processes stand still': worldWith(NEVER_STUCK, { freeze: 0.02, stall: 0.005 }),
} as const;
