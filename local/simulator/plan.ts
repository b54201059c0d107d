import { concerns, FAULT_NAMES, FAULTS, type FaultName, isFaultName, type Rates, type Stage } from './faults.ts';
import type { Random } from './random.ts';

/** The faults of one exchange, one a stage at most. */
export type Plan = Readonly<Partial<Record<Stage, FaultName>>>;

/**
 * Decides what goes wrong in an exchange.
 * @param asked a fault that is to come about, where one was asked for
 */
export function planFor(method: string, rates: Rates, random: Random, asked?: FaultName): Plan {
  const plan: { [stage in Stage]?: FaultName } = {};
  if (asked !== undefined) plan[FAULTS[asked].stage] = asked;
  for (const name of FAULT_NAMES) {
    const { stage } = FAULTS[name];
    // Drawn for every fault, so that what goes wrong later does not depend on what was possible here.
    const isDrawn = random.chance(rates[name] ?? 0);
    if (isDrawn && concerns(name, method)) plan[stage] ??= name;
  }
  // What is not carried out has no later stage.
  return plan.before === undefined ? plan : { ...(plan.delay && { delay: plan.delay }), before: plan.before };
}

/** The fault that a custom id asks for: `fault-<name>` at its beginning or behind a dot, and then its end or another `-`. */
export function faultIn(customId: string): FaultName | undefined {
  const [, text = ''] = /(?:^|\.)fault-([a-z-]+)/.exec(customId) ?? [];
  const words = text.split('-');
  for (let count = words.length; count > 0; count--) {
    const name = words.slice(0, count).join('-');
    if (isFaultName(name)) return name;
  }
  return undefined;
}
