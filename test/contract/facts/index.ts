import { ANSWERS } from './answers.ts';
import { AUTHORIZER } from './authorizer.ts';
import { BODIES } from './bodies.ts';
import { BULK } from './bulk.ts';
import type { FactGroup } from './fact.ts';
import { HEADERS } from './headers.ts';
import { PATHS } from './paths.ts';
import { QUERY } from './query.ts';
import { STACK } from './stack.ts';
import { USAGE_PLAN } from './usage-plan.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WORKFLOWS } from './workflows.ts';

/** The heading of all facts, of their page and of their tests. */
export const FACTS_TITLE = 'What is assumed about API Gateway';

/** Everything that is taken for true of API Gateway, in the order of `docs/gateway-facts.md`, which is made from it. */
export const FACT_GROUPS: readonly FactGroup[] = [
  PATHS,
  QUERY,
  HEADERS,
  BODIES,
  AUTHORIZER,
  ANSWERS,
  USAGE_PLAN,
  WEBHOOKS,
  STACK,
  WORKFLOWS,
  BULK,
];
