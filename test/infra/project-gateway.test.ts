import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, it, vi } from 'vitest';
import { WebsiteStack } from '../../examples/cdk/website-stack.ts';
import { ROOT } from '../../infra/bundle.ts';
import { ProjectGateway, SettingError, upstream } from '../../infra/index.ts';
import { withApp } from './synthesise.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: 60_000 });

it('is a construct of any stack, beside other things', async () => {
  await withApp((app) => {
    const template = Template.fromStack(new WebsiteStack(app, 'Website'));
    template.resourceCountIs('AWS::ApiGateway::RestApi', 1);
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^ProjectsStoresBus') },
      EventPattern: { source: ['segue'] },
    });
  });
});

it('is in docs/deploy.md as it is tested', () => {
  const page = readFileSync(resolve(ROOT, 'docs/deploy.md'), 'utf8');
  expect(page).toContain(readFileSync(resolve(ROOT, 'examples/cdk/website-stack.ts'), 'utf8'));
});

it('is told apart from another one of the account, by names and metrics', async () => {
  await withApp((app) => {
    const stack = new Stack(app, 'Two');
    const url = 'https://projects.example.com/api/';
    const front = new ProjectGateway(stack, 'One', { service: upstream({ url }), alarms: true });
    new ProjectGateway(stack, 'Other', { service: upstream({ url }), stage: 'development', alarms: true });
    expect(front.bucket).toBeUndefined();
    expect(() => front.functionOf('sweeper')).toThrow(RangeError);

    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SEGUE_UPSTREAM_URL: 'https://projects.example.com/api' } },
    });
    const apis = Object.values(template.findResources('AWS::ApiGateway::RestApi'));
    expect(new Set(apis.map(({ Properties }) => Properties.Name)).size).toBe(2);
    const filters = Object.values(template.findResources('AWS::Logs::MetricFilter'));
    const namespaces = filters.map(({ Properties }) => Properties.MetricTransformations[0].MetricNamespace);
    expect(new Set(namespaces).size).toBe(2);
  });
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
