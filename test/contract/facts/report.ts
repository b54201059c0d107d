import type { Fact } from './fact.ts';
import { FACT_GROUPS, FACTS_TITLE } from './index.ts';
import { type Circumstances, planOf } from './plan.ts';

/** The result of a test. It has errors if the test failed. */
export interface Outcome {
  readonly state: string;
  readonly errors?: readonly { readonly message: string }[] | undefined;
}

/**
 * Returns a report that says of each fact whether it holds, or why it was not checked.
 * @param outcomes results by the full name of the test, which begins with the names of its groups
 */
export function factReport(outcomes: ReadonlyMap<string, Outcome>, circumstances: Circumstances): string {
  const groups = FACT_GROUPS.map(({ heading, facts }) => {
    const lines = facts.map((fact) => {
      const plan = planOf(fact, circumstances);
      const outcome = outcomes.get([FACTS_TITLE, heading, fact.fact].join(' > '));
      return typeof plan === 'string' ? lineOf(fact, plan) : lineOf(fact, ...wordsOf(outcome));
    });
    return [heading, ...lines].join('\n');
  });
  return `\n${FACTS_TITLE}\n\n${groups.join('\n\n')}\n`;
}

function lineOf({ fact }: Fact, state: string, ...more: readonly string[]): string {
  return [`  ${fact}`, ...[state, ...more].map((text) => `      ${text}`)].join('\n');
}

/** Returns the result of a test in words. A test that did not run counts as failed. */
function wordsOf({ state, errors = [] }: Outcome = { state: 'failed' }): readonly [state: string, ...string[]] {
  return [state, ...errors.map(({ message }) => message)];
}
