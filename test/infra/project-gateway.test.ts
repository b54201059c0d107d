import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { WebsiteStack } from '../../examples/cdk/website-stack.ts';
import { ROOT } from '../../infra/bundle.ts';
import { ProjectGateway, upstream } from '../../infra/index.ts';
import { gatewayOutputs } from '../../packages/cli/stack-deployment.ts';
import { deployedOutputs, isOfBoth, isOfUpstream, READ_BY_CLI } from './deployed-outputs.ts';
import { withApp } from './synthesise.ts';

/** Three stacks of one app: the website of the example, two upstream gateways in one stack, and one gateway alone. */
const { website, two, alone } = await withApp((app) => {
  const websiteStack = new WebsiteStack(app, 'Website');
  const twoStack = new Stack(app, 'Two');
  const service = upstream({ url: 'https://projects.example.com/api/' });
  const one = new ProjectGateway(twoStack, 'One', { service, stage: 'development' });
  new ProjectGateway(twoStack, 'Other', { service, stage: 'development' });
  expect(one.bucket).toBeUndefined();
  expect(() => one.functionOf('sweeper')).toThrow(RangeError);
  const aloneStack = new Stack(app, 'Alone');
  const encryptionKey = new Key(aloneStack, 'Key');
  const alarmEmail = 'ops@example.com';
  const options = { service, stage: 'development', alarms: true, alarmEmail, encryptionKey } as const;
  new ProjectGateway(aloneStack, 'Projects', options);
  const [website, two, alone] = [websiteStack, twoStack, aloneStack].map((stack) => Template.fromStack(stack));
  if (!website || !two || !alone) throw new RangeError('A stack has no template');
  return { website, two, alone };
});

describe('a gateway in a stack with other resources', () => {
  it('has an event bus for other resources', () => {
    website.resourceCountIs('AWS::ApiGateway::RestApi', 1);
    website.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^ProjectsStoresBus') },
      EventPattern: { source: ['segue'] },
    });
  });

  it('has outputs that begin with its id, as the command line reads them', () => {
    const outputs = gatewayOutputs(deployedOutputs(website.findOutputs('*')), undefined);
    for (const name of READ_BY_CLI.filter(isOfBoth)) expect(outputs.get(name)).toContain('Projects');
    website.hasOutput('ProjectsNextCommand', {
      Value: 'npx --no-install segue company add acme --stack Website --gateway Projects',
    });
  });

  it('is the example in docs/cdk-construct.md', () => {
    const page = readFileSync(resolve(ROOT, 'docs/cdk-construct.md'), 'utf8');
    expect(page).toContain(readFileSync(resolve(ROOT, 'examples/cdk/website-stack.ts'), 'utf8'));
  });
});

describe('two gateways in one stack', () => {
  it('have their own outputs', () => {
    two.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SEGUE_UPSTREAM_URL: 'https://projects.example.com/api' } },
    });
    const outputs = deployedOutputs(two.findOutputs('*'));
    for (const id of ['One', 'Other']) {
      const ofGateway = gatewayOutputs(outputs, id);
      for (const name of READ_BY_CLI.filter(isOfUpstream)) expect(ofGateway.get(name)).toBeDefined();
      expect(ofGateway.get('TableName')).toContain(`${id}StoresTable`);
    }
    expect(() => gatewayOutputs(outputs, undefined)).toThrow('select one with --gateway: One, Other');
  });

  it('have APIs with different names', () => {
    const apis = Object.values(two.findResources('AWS::ApiGateway::RestApi'));
    expect(new Set(apis.map(({ Properties }) => Properties.Name)).size).toBe(2);
  });
});

it('lets AWS services use a KMS key of the same app', () => {
  const statement = (service: unknown, actions: readonly string[]) =>
    Match.objectLike({ Principal: { Service: service }, Action: Match.arrayWith([...actions]) });
  const logs = { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] };
  alone.hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([
        statement(logs, ['kms:Encrypt', 'kms:GenerateDataKey*']),
        statement('events.amazonaws.com', ['kms:Decrypt', 'kms:GenerateDataKey']),
      ]),
    },
  });
});

it('separates the metrics of gateways with the same id in two stacks', () => {
  const namespaces = [website, alone].flatMap((template) =>
    Object.values(template.findResources('AWS::Logs::MetricFilter')).map(
      ({ Properties }) => Properties.MetricTransformations[0].MetricNamespace,
    ),
  );
  expect(new Set(namespaces).size).toBe(2);
});
