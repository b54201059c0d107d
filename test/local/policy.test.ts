import { expect, test } from 'vitest';
import { allows } from '../../local/policy.ts';

const ARN = 'arn:aws:execute-api:local:000000000000:local/local/DELETE/segments/projects/42';

const resources = [
  [ARN, true],
  ['*', true],
  ['arn:aws:execute-api:*:*:*/*/DELETE/segments/*', true],
  ['*/segments/projects/4?', true],
  ['*/segments/projects/42*', true],
  ['*/segments/projects/?', false],
  ['*/GET/*', false],
  ['', false],
  [ARN.toUpperCase(), false],
  [`${'*a'.repeat(50)}b`, false],
] as const;

test.each(resources)('the resource %s covers the method: %s', (Resource, expected) => {
  expect(allows({ Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }] }, ARN)).toBe(expected);
});

test('a denial wins, in whatever order', () => {
  const allow = { Effect: 'Allow', Action: '*', Resource: '*' } as const;
  const deny = { Effect: 'Deny', Action: 'execute-api:*', Resource: ['x', ARN] } as const;
  expect(allows({ Statement: [allow, deny] }, ARN)).toBe(false);
  expect(allows({ Statement: [deny, allow] }, ARN)).toBe(false);
  expect(allows({ Statement: [allow, { ...deny, Resource: 'x' }] }, ARN)).toBe(true);
});

test('another action allows nothing', () => {
  expect(allows({ Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] }, ARN)).toBe(false);
});
