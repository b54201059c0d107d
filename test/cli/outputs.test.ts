import { expect, test } from 'vitest';
import { outputsOf, StackUnusable } from '../../cli/outputs.ts';
import { segueHere } from '../support/segue.ts';

const of = (...ids: string[]) =>
  new Map(
    ids.flatMap((id) => ['TableName', 'UsagePlanId', 'ApiId'].map((name) => [id + name, `${id} ${name}`] as const)),
  );

test('the outputs of a Segue are found by their names, whatever stands before them', () => {
  expect(outputsOf(of(''), undefined).get('TableName')).toBe(' TableName');
  expect(outputsOf(of('Projects'), undefined).get('ApiId')).toBe('Projects ApiId');
  expect(outputsOf(of('Projects', 'Other'), 'Other').get('ApiId')).toBe('Other ApiId');
  const mixed = new Map([...of('Projects'), ['WebsiteTableName', 'another table']]);
  expect(outputsOf(mixed, undefined).get('TableName')).toBe('Projects TableName');
});

test.each<[outputs: Parameters<typeof outputsOf>[0], gateway: string | undefined, message: RegExp]>([
  [of(), undefined, /^the stack has no output TableName: it is none of Segue's/],
  [of(), 'Projects', /^the stack has no output TableName/],
  [new Map([['TableName', 'a table']]), undefined, /^the stack has no output TableName/],
  [of('One', 'Other'), undefined, /^the stack has several: say which with --gateway, of One, Other$/],
  [of('One', 'Other'), 'Third', /^the stack has no Segue of this id; it has One, Other$/],
])('of %j with %s is said what is wrong', (outputs, gateway, message) => {
  expect(() => outputsOf(outputs, gateway)).toThrow(StackUnusable);
  expect(() => outputsOf(outputs, gateway)).toThrow(message);
});

test('--gateway without --stack is no command', async () => {
  const { code, stderr } = await segueHere('nowhere', 'company', 'list', '--gateway', 'Projects');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('give --stack too') });
});
