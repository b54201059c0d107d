import { expect, it } from 'vitest';
import type { ServiceName } from '../../infra/functions/function-spec.ts';
import { type Context, everyOption, MINIMAL } from '../../tools/contexts.ts';
import { synthesiseAll } from './synthesise.ts';

/** The most resources that a stack may have. CloudFormation changes some at a time, and each is one more that can fail. */
const LIMITS: readonly (readonly [limit: number, name: string, service: ServiceName, more: Context])[] = [
  [160, 'hosted in production', 'hosted', {}],
  [150, 'upstream in production', 'upstream', {}],
  [122, 'hosted with everything off', 'hosted', MINIMAL],
  [120, 'upstream with everything off', 'upstream', MINIMAL],
  [230, 'hosted with every option', 'hosted', everyOption('hosted')],
  [230, 'upstream with every option', 'upstream', everyOption('upstream')],
];

it.each(LIMITS)('at most %i resources are in a stack of %s', async (limit, _, service, more) => {
  const { template, bulk } = await synthesiseAll(service, more);
  // A nested stack would hide resources.
  const all = [template, bulk].flatMap((each) => Object.keys(each?.toJSON()['Resources'] ?? {}));
  expect(all.length).toBeLessThanOrEqual(limit);
});
