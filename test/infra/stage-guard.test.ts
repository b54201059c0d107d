import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ProjectGateway, upstream } from '../../infra/index.ts';
import type { StageName } from '../../infra/stages.ts';
import { blocks, read } from '../docs/world.ts';
import { synthesise, withApp } from './synthesise.ts';

const Guarded = z.object({
  Parameters: z.record(
    z.string(),
    z.object({ Type: z.string(), Default: z.optional(z.string()), AllowedValues: z.optional(z.array(z.string())) }),
  ),
  Rules: z.record(z.string(), z.object({ Assertions: z.array(z.looseObject({ AssertDescription: z.string() })) })),
});
const Assertion = z.object({
  Assert: z.object({ 'Fn::Equals': z.tuple([z.object({ Ref: z.string() }), z.string()]) }),
  AssertDescription: z.string(),
});

/**
 * Deploys a template over a stack, as `cdk deploy` and CloudFormation do: a parameter that is not passed keeps the value
 * of the stack, and has its default only if the stack does not know it. A value must be allowed.
 * @param previous the values of the stack's parameters
 * @returns the values after the deployment, or the descriptions of the assertions that do not hold
 */
function deploy(
  template: Template,
  previous: Readonly<Record<string, string>>,
  passed: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | readonly string[] {
  const { Parameters, Rules } = Guarded.parse(template.toJSON());
  const values = Object.fromEntries(
    Object.entries(Parameters).map(([name, { Default, AllowedValues }]) => {
      const value = passed[name] ?? previous[name] ?? Default ?? '';
      if (AllowedValues) expect(AllowedValues).toContain(value);
      return [name, value];
    }),
  );
  const broken = Object.values(Rules)
    .flatMap(({ Assertions }) => Assertions)
    .flatMap((assertion) => Assertion.safeParse(assertion).data ?? [])
    .filter(
      ({
        Assert: {
          'Fn::Equals': [{ Ref }, expected],
        },
      }) => values[Ref] !== expected,
    );
  return broken.length > 0 ? broken.map(({ AssertDescription }) => AssertDescription) : values;
}

const [production, development] = await Promise.all([
  synthesise('hosted', { stage: 'production' }),
  synthesise('hosted', { stage: 'development' }),
]);
const BOOTSTRAP = { BootstrapVersion: '/cdk-bootstrap/hnb659fds/version' };
const deployedWith = (stage: StageName) => ({ ...BOOTSTRAP, DeployedStage: stage });

describe('the stage of a stack', () => {
  it.each([
    ['production', production],
    ['development', development],
  ] as const)('is kept by each deployment of %s', (stage, template) => {
    expect(deploy(template, {})).toEqual(deployedWith(stage));
    expect(deploy(template, deployedWith(stage))).toEqual(deployedWith(stage));
    // A stack of an earlier release does not know its stage.
    expect(deploy(template, BOOTSTRAP)).toEqual(deployedWith(stage));
  });

  it('is changed by no deployment that does not say so twice', () => {
    const refused = deploy(development, deployedWith('production'));
    expect(refused).toEqual([
      'This deployment has stage=development, and the stack has another stage. Deploy with the stage of the stack. To change the stage, add --parameters DeployedStage=development',
    ]);
    const confirmed = { DeployedStage: 'development' };
    expect(deploy(development, deployedWith('production'), confirmed)).toEqual(deployedWith('development'));
    // The other direction too: the stack would remember the stage that it had at first.
    expect(deploy(production, deployedWith('development'))).toHaveLength(1);
    expect(deploy(production, deployedWith('development'), { DeployedStage: 'production' })).toEqual(
      deployedWith('production'),
    );
  });

  it('is that of each gateway in a stack', async () => {
    const two = await withApp((app) => {
      const stack = new Stack(app, 'Two');
      const service = upstream({ url: 'https://projects.example.com' });
      for (const id of ['One', 'Other']) new ProjectGateway(stack, id, { service, stage: 'development' });
      return Template.fromStack(stack);
    });
    expect(deploy(two, {})).toMatchObject({ OneDeployedStage: 'development', OtherDeployedStage: 'development' });
    const before = { OneDeployedStage: 'production', OtherDeployedStage: 'development' };
    expect(deploy(two, before)).toEqual([expect.stringContaining('--parameters OneDeployedStage=development')]);
  });

  it('is changed in docs/upgrade.md as the error says', () => {
    const [command] = blocks(read('docs/upgrade.md'), 'sh').filter((block) => block.includes('DeployedStage'));
    expect(command).toContain('--parameters DeployedStage=development');
  });
});
