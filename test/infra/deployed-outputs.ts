import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outputs } from '../../packages/cli/stack-deployment.ts';

const SOURCE = join(import.meta.dirname, '../../packages/cli/stack-deployment.ts');

/** The outputs that the command line reads. */
export const READ_BY_CLI = [...readFileSync(SOURCE, 'utf8').matchAll(/output\('(\w+)'\)/g)].map(
  ([, name = '']) => name,
);

/** Whether a stack in front of an upstream service has an output. */
export const isOfUpstream = (name: string) => name !== 'BucketName';

/** Whether both services have an output. */
export const isOfBoth = (name: string) => isOfUpstream(name) && !name.startsWith('Upstream');

/** Returns the outputs of a template, with the JSON of each value. */
export function deployedOutputs(outputs: Readonly<Record<string, { readonly Value?: unknown }>>): Outputs {
  return new Map(Object.entries(outputs).map(([name, { Value }]) => [name, JSON.stringify(Value)]));
}
