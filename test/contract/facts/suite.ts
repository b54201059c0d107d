import { describe, test } from 'vitest';
import type { Target } from '../api.ts';
import { askFor } from './asking.ts';
import type { AskedFact, Need } from './fact.ts';
import { FACT_GROUPS, FACTS_TITLE } from './index.ts';
import { planOf } from './plan.ts';

/** The time limit for all requests of one fact, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Defines a test for each fact that requests can check. The facts that throttle the company come last. */
export function gatewayFacts(target: Target, may: readonly Need[]): void {
  const planned = FACT_GROUPS.map(({ heading, facts }) => {
    const asked = facts
      .map((fact) => planOf(fact, { url: target.url, may }))
      .filter((plan) => typeof plan !== 'string');
    return { heading, asked };
  });
  describe(FACTS_TITLE, { timeout: TIMEOUT_MS }, () => {
    for (const isLoad of [false, true]) {
      for (const { heading, asked } of planned) {
        define(
          heading,
          asked.filter(({ needs }) => (needs === 'load') === isLoad),
          target,
        );
      }
    }
  });
}

function define(heading: string, facts: readonly AskedFact[], target: Target): void {
  if (facts.length === 0) return;
  describe(heading, () => {
    for (const fact of facts) test(fact.fact, () => askFor(fact, target));
  });
}
