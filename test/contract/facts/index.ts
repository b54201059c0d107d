import { ANSWERS } from './answers.ts';
import { AUTHORIZER } from './authorizer.ts';
import { BODIES } from './bodies.ts';
import { BULK } from './bulk.ts';
import type { FactGroup } from './fact.ts';
import { HEADERS } from './headers.ts';
import { PATHS } from './paths.ts';
import { QUERY } from './query.ts';
import { RELEASES } from './releases.ts';
import { RESTORE } from './restore.ts';
import { STACK } from './stack.ts';
import { USAGE_PLAN } from './usage-plan.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WORKFLOWS } from './workflows.ts';

/** The title of the page of all facts, and of their tests. */
export const FACTS_TITLE = 'What is assumed about API Gateway';

/** Every assumption about API Gateway, in the order of `docs/gateway-facts.md`, which is generated from this list. */
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
  RELEASES,
  RESTORE,
  WORKFLOWS,
  BULK,
];
