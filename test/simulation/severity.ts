import { allAt } from '../../local/simulator/faults.ts';
import { randomFrom } from '../../local/simulator/random.ts';
import type { WorldOptions } from './world.ts';

/** How bad a world is. */
export type Severity = Pick<WorldOptions, 'rates' | 'hazards' | 'areCustomIdsFree' | 'areForeign'>;

/** Some worlds are calm, most are bad, and a few are terrible. */
export function severityOf(seed: number): Severity {
  const random = randomFrom(seed);
  const rate = random.pick([0, 0.002, 0.01, 0.01, 0.03]);
  const hazard = random.pick([0, 0.0005, 0.002, 0.01]);
  const areCustomIdsFree = random.chance(0.3);
  return {
    // What a proxy sends twice to a service that makes two of it, no client can make one again.
    rates: { ...allAt(rate), 'accepted-for-hours': 10 * rate, ...(areCustomIdsFree && { twice: 0 }) },
    hazards: { kill: hazard, freeze: hazard, stall: hazard / 4, setBack: 0, store: hazard / 2 },
    areCustomIdsFree,
    // Behind another client's newer project with its custom id, nobody can find a project whose answer was lost.
    areForeign: false,
  };
}
