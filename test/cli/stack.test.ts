import { describe, expect, it } from 'vitest';
import { commandLine } from '../../cli/deployment.ts';
import { gatewayOutputs, type Outputs } from '../../cli/stack-deployment.ts';
import { segueHere } from '../support/segue.ts';

/** The outputs of a stack that has constructs of these ids. */
const stackOf = (...ids: string[]) =>
  new Map(
    ids.flatMap((id) => ['TableName', 'UsagePlanId', 'ApiId'].map((name) => [id + name, `${id} ${name}`] as const)),
  );

describe('the outputs of a Segue', () => {
  it.each<[Outputs, string | undefined, string]>([
    [stackOf(''), undefined, ' ApiId'],
    [stackOf('Projects'), undefined, 'Projects ApiId'],
    [stackOf('Projects', 'Other'), 'Other', 'Other ApiId'],
    [new Map([...stackOf('Projects'), ['WebsiteTableName', 'another table']]), undefined, 'Projects ApiId'],
  ])('of %j with the id %s are found by name', (outputs, gateway, apiId) => {
    expect(gatewayOutputs(outputs, gateway).get('ApiId')).toBe(apiId);
  });

  it.each<[Outputs, string | undefined, RegExp]>([
    [stackOf(), undefined, /^the stack has no output TableName: it is not a Segue/],
    [stackOf(), 'Projects', /^the stack has no output TableName/],
    [new Map([['TableName', 'a table']]), undefined, /^the stack has no output TableName/],
    [stackOf('One', 'Other'), undefined, /^the stack has several Segues: select one with --gateway: One, Other$/],
    [stackOf('One', 'Other'), 'Third', /^the stack has no Segue of this id; it has One, Other$/],
  ])('of %j with the id %s are refused', (outputs, gateway, message) => {
    expect(() => gatewayOutputs(outputs, gateway)).toThrow(
      expect.objectContaining({ name: 'CliError', message: expect.stringMatching(message) }),
    );
  });

  it('need --stack beside --gateway', async () => {
    const { code, stderr } = await segueHere('nowhere', 'company', 'list', '--gateway', 'Projects');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('give --stack too') });
  });
});

describe('the command that a command suggests next', () => {
  it.each([
    ['this machine', undefined, 'npm run segue -- source delivery cms x'],
    ['a stack', { stack: 'Segue', gateway: undefined }, 'npm run segue -- --stack Segue source delivery cms x'],
    [
      'one gateway of a stack',
      { stack: 'Segue', gateway: 'Second' },
      'npm run segue -- --stack Segue --gateway Second source delivery cms x',
    ],
  ])('is for %s, like the command itself', (_, named, expected) => {
    expect(commandLine(named, ['source', 'delivery', 'cms', 'x'])).toBe(expected);
  });
});
