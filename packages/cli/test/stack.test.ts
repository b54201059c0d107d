import { describe, expect, it } from 'vitest';
import { segueHere } from '../../../test/support/segue.ts';
import { gatewayOutputs, type Outputs, requirePart } from '../stack-deployment.ts';

/** Returns the outputs of a stack with constructs of these ids. */
const stackOf = (...ids: string[]) =>
  new Map(
    ids.flatMap((id) => ['TableName', 'UsagePlanId', 'ApiId'].map((name) => [id + name, `${id} ${name}`] as const)),
  );

describe('the outputs of a Segue stack', () => {
  it.each<[Outputs, string | undefined, string]>([
    [stackOf(''), undefined, ' ApiId'],
    [stackOf('Projects'), undefined, 'Projects ApiId'],
    [stackOf('Projects', 'Other'), 'Other', 'Other ApiId'],
    [new Map([...stackOf('Projects'), ['WebsiteTableName', 'another table']]), undefined, 'Projects ApiId'],
  ])('of %j with the id %s are found by name', (outputs, gateway, apiId) => {
    expect(gatewayOutputs(outputs, gateway).get('ApiId')).toBe(apiId);
  });

  it.each<[Outputs, string | undefined, RegExp]>([
    [stackOf(), undefined, /^the stack has no output TableName: it has no Segue/],
    [stackOf(), 'Projects', /^the stack has no output TableName/],
    [new Map([['TableName', 'a table']]), undefined, /^the stack has no output TableName/],
    [stackOf('One', 'Other'), undefined, /^the stack has several Segues: select one with --gateway: One, Other$/],
    [stackOf('One', 'Other'), 'Third', /^the stack has no Segue with this id; it has One, Other$/],
  ])('of %j with the id %s are refused', (outputs, gateway, message) => {
    expect(() => gatewayOutputs(outputs, gateway)).toThrow(
      expect.objectContaining({ name: 'CliError', message: expect.stringMatching(message) }),
    );
  });

  it.each([
    ['webhooks', 'WebhookSecretsPrefix'],
    ['bulk', 'ManifestsBucketName'],
    ['events', 'EventSecretsPrefix'],
  ] as const)('tell whether the stack has %s, and how to get them', (part, output) => {
    expect(() => requirePart(stackOf(''), part)).toThrow(
      expect.objectContaining({
        name: 'CliError',
        message: `the stack has no ${part}: deploy it with ${part}=true`,
      }),
    );
    expect(() => requirePart(new Map([[output, 'a value']]), part)).not.toThrow();
  });

  it('need --stack beside --gateway', async () => {
    const { code, stderr } = await segueHere('nowhere', 'company', 'list', '--gateway', 'Projects');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('give --stack too') });
  });
});
