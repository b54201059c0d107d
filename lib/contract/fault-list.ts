import type { Fault } from './faults.ts';
import { LIMITS } from './limits.ts';

/** The number of faults at which checking stops: one more than a problem lists, to know whether there are more. */
const MAX_READ = LIMITS.faults + 1;

/** Yields faults; and `undefined` where other work may run. */
export type FaultSteps = Generator<Fault | undefined>;

/** A list that collects at most `MAX_READ` faults. */
export class FaultList {
  readonly found: Fault[] = [];

  add(faults: Iterable<Fault>): void {
    if (this.found.length >= MAX_READ) return;
    for (const fault of faults) {
      this.found.push(fault);
      if (this.found.length >= MAX_READ) return;
    }
  }

  /** Adds faults like `add`. Yields where other work may run. */
  *addInSteps(faults: FaultSteps): Generator<void> {
    if (this.found.length >= MAX_READ) return;
    for (const fault of faults) {
      if (fault) this.add([fault]);
      else yield;
      if (this.found.length >= MAX_READ) return;
    }
  }
}

/** Returns a phrase with the number of faults, such as `2 rules`. */
export function brokenRules({ length }: readonly Fault[]): string {
  if (length > LIMITS.faults) return `at least ${LIMITS.faults} rules`;
  return length === 1 ? 'a rule' : `${length} rules`;
}
