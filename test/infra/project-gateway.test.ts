import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { type Outputs, outputsOf } from '../../cli/outputs.ts';
import { WebsiteStack } from '../../examples/cdk/website-stack.ts';
import { ROOT } from '../../infra/bundle.ts';
import { hosted, ProjectGateway, SettingError, upstream } from '../../infra/index.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { synthesise, withApp } from './synthesise.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: MUCH_WORK_MS });

/** What the command `segue` asks a stack for. */
const READ_BY_CLI = [...readFileSync(resolve(ROOT, 'cli/stack.ts'), 'utf8').matchAll(/output\('(\w+)'\)/g)].map(
  ([, name = '']) => name,
);
/** What a stack puts out in front of another service alone begins with that. */
const isOfBoth = (name: string) => !name.startsWith('Upstream');
const CdkJson = z.object({ app: z.string(), context: z.record(z.string(), z.unknown()) });

/** A stack's outputs as CloudFormation gives them, with what a value is made of in place of the value. */
function deployedOutputs(template: Template): Outputs {
  const outputs = Object.entries(template.findOutputs('*'));
  return new Map(outputs.map(([name, output]) => [name, JSON.stringify(output['Value'])]));
}

it('is a construct of any stack, beside other things', async () => {
  await withApp((app) => {
    const template = Template.fromStack(new WebsiteStack(app, 'Website'));
    template.resourceCountIs('AWS::ApiGateway::RestApi', 1);
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^ProjectsStoresBus') },
      EventPattern: { source: ['segue'] },
    });
    const outputs = outputsOf(deployedOutputs(template), undefined);
    for (const name of READ_BY_CLI.filter(isOfBoth)) expect(outputs.get(name)).toContain('Projects');
    template.hasOutput('ProjectsNextCommand', {
      Value: 'npm run segue -- company add acme --stack Website --gateway Projects',
    });
  });
});

it('is in docs/deploy.md as it is tested', () => {
  const page = readFileSync(resolve(ROOT, 'docs/deploy.md'), 'utf8');
  expect(page).toContain(readFileSync(resolve(ROOT, 'examples/cdk/website-stack.ts'), 'utf8'));
});

it('is told apart from another one of its stack', async () => {
  await withApp((app) => {
    const stack = new Stack(app, 'Two');
    const url = 'https://projects.example.com/api/';
    // With alarms, the two exceed the 500 resources of a stack.
    const front = new ProjectGateway(stack, 'One', { service: upstream({ url }), alarms: false });
    new ProjectGateway(stack, 'Other', { service: upstream({ url }), stage: 'development' });
    expect(front.bucket).toBeUndefined();
    expect(() => front.functionOf('sweeper')).toThrow(RangeError);

    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SEGUE_UPSTREAM_URL: 'https://projects.example.com/api' } },
    });
    const outputs = deployedOutputs(template);
    const tables = ['One', 'Other'].map((id) => outputsOf(outputs, id).get('TableName'));
    expect(tables).toEqual([expect.stringContaining('OneStoresTable'), expect.stringContaining('OtherStoresTable')]);
    expect(() => outputsOf(outputs, undefined)).toThrow('say which with --gateway, of One, Other');

    const apis = Object.values(template.findResources('AWS::ApiGateway::RestApi'));
    expect(new Set(apis.map(({ Properties }) => Properties.Name)).size).toBe(2);
  });
});

it('has metrics of its own, whatever other gateways of the account have', async () => {
  await withApp((app) => {
    const stacks = ['One', 'Other'].map((id) => {
      const stack = new Stack(app, id);
      new ProjectGateway(stack, 'Projects', { service: hosted(), alarms: true });
      return stack;
    });
    const namespaces = stacks.map((stack) => {
      const filters = Object.values(Template.fromStack(stack).findResources('AWS::Logs::MetricFilter'));
      return filters.map(({ Properties }) => Properties.MetricTransformations[0].MetricNamespace);
    });
    expect(new Set(namespaces.flat()).size).toBe(2);
  });
});

it('is in a stack of its own as segue --stack reads it', async () => {
  const outputs = outputsOf(deployedOutputs(await synthesise('upstream', { stage: 'development' })), undefined);
  for (const name of READ_BY_CLI) expect(outputs.get(name)).toBeDefined();
});

it.each([
  ['examples/cdk', 'Website', 'AWS::ApiGateway::RestApi'],
  ['examples/workflow', 'Publication', 'AWS::StepFunctions::StateMachine'],
])('has an example that runs: %s', async (folder, stack, holds) => {
  const cwd = resolve(ROOT, folder);
  const { app, context } = CdkJson.parse(JSON.parse(readFileSync(resolve(cwd, 'cdk.json'), 'utf8')));
  const outdir = mkdtempSync(resolve(tmpdir(), 'segue-example-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const [program = '', ...args] = app.split(' ');
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) };
  expect(program).toBe('node');
  await promisify(execFile)(process.execPath, args, { cwd, env });
  expect(readFileSync(resolve(outdir, `${stack}.template.json`), 'utf8')).toContain(holds);
});

it.each([
  { recoveryDays: 36 },
  { recoveryDays: 0.5 },
  { reservedConcurrency: { createProject: -1 } },
  // of another service
  { reservedConcurrency: { sweeper: 1 } },
])('refuses %j with one clear line', async (option) => {
  const url = 'https://projects.example.com';
  const made = withApp(
    (app) => new ProjectGateway(new Stack(app, 'Stack'), 'Projects', { service: upstream({ url }), ...option }),
  );
  await expect(made).rejects.toThrow(SettingError);
});
