import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Rule } from 'aws-cdk-lib/aws-events';
import { expect, it } from 'vitest';
import { hosted, ProjectGateway, SettingError, upstream } from '../../infra/index.ts';
import { withApp } from './synthesise.ts';

it('is a construct of any stack, beside another one', async () => {
  await withApp((app) => {
    const stack = new Stack(app, 'Website');
    const projects = new ProjectGateway(stack, 'Projects', { service: hosted(), stage: 'development', alarms: true });
    new ProjectGateway(stack, 'Front', { service: upstream({ url: 'https://projects.example.com/api/' }) });
    new Rule(stack, 'Created', {
      ...(projects.eventBus && { eventBus: projects.eventBus }),
      eventPattern: { source: ['segue'], detailType: ['project.created'] },
    });

    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::ApiGateway::RestApi', 2);
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^ProjectsStoresBus') },
      EventPattern: { source: ['segue'] },
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SEGUE_UPSTREAM_URL: 'https://projects.example.com/api' } },
    });
  });
});

it('has metrics and names of its own, so that two in an account are told apart', async () => {
  await withApp((app) => {
    const stack = new Stack(app, 'Twice');
    for (const id of ['One', 'Other']) new ProjectGateway(stack, id, { service: hosted() });
    const template = Template.fromStack(stack);
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
