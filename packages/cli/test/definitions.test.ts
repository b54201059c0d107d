import validate from 'asl-validator';
import { describe, expect, it } from 'vitest';
import { execute } from '../workflow/interpreter/execution.ts';
import { readMachine } from '../workflow/interpreter/machine.ts';
import { CASES, functionName, functionsOf } from './definitions/cases.ts';

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
