import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { execute } from '../workflow/interpreter/execution.ts';
import { readMachine } from '../workflow/interpreter/machine.ts';
import { CASES, functionName, functionsOf } from './definitions/cases.ts';

type Validate = (definition: object) => { readonly isValid: boolean; readonly errors: readonly unknown[] };
/** The package has no types. */
const validate = z
  .custom<Validate>((value) => typeof value === 'function')
  .parse(createRequire(import.meta.url)('asl-validator'));

describe.each(CASES.map((each) => [each.name, each] as const))('the definition %s', (_, each) => {
  it('is valid', () => {
    const { isValid, errors } = validate(each.definition);
    expect([isValid, errors]).toEqual([true, []]);
  });

  it('runs on this machine', async () => {
    const { input, definition, expected } = each;
    const call = functionsOf(each);
    const ended = await execute(readMachine(definition), input, {
      machine: 'Case',
      name: 'one',
      call: ({ function: arn, payload }) => call(functionName(arn), payload),
      pause: async () => {},
    });
    if ('output' in expected) expect(ended).toEqual(expected);
    else expect(ended).toMatchObject(expected);
  });
});
