import { Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { LINE } from '../../infra/api/access-logs.ts';
import { hosted, ProjectGateway, SettingError, upstream } from '../../infra/index.ts';
import { withApp } from './synthesise.ts';

const Statement = z.object({ Action: z.union([z.string(), z.array(z.string())]), Resource: z.unknown() });
const Policy = z.object({ PolicyDocument: z.object({ Statement: z.array(Statement) }) });

/** A gateway of each service in a stack of its own: all of one, and as little as possible of the other. */
const { full, minimal, templates } = await withApp((app) => {
  const role = (stack: Stack) => new Role(stack, 'User', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const fullStack = new Stack(app, 'Full');
  const full = new ProjectGateway(fullStack, 'Projects', {
    service: upstream({ url: 'https://projects.example.com' }),
    canary: 'reads',
    waits: true,
    bulkCompanies: ['acme'],
    alarmEmail: 'ops@example.com',
  });
  const user = role(fullStack);
  full.grantCreateProject(user);
  full.grantPutProject(user);
  full.grantDeleteProject(user);
  full.grantReadProgress(user);
  full.grantWriteManifests(user, 'acme');
  full.grantReadResults(user);
  full.grantWriteUpstreamSecret(user);
  full.onEvent('Deleted', {
    eventPattern: { detailType: ['project.deleted'] },
    target: new SqsQueue(new Queue(fullStack, 'Queue')),
  });

  full.metricThrottledRequests();
  full.metricServerErrors();
  const minimalStack = new Stack(app, 'Minimal');
  const minimal = new ProjectGateway(minimalStack, 'Projects', {
    service: hosted(),
    stage: 'development',
    webhooks: false,
    bulk: false,
    events: false,
  });
  return { full, minimal, templates: { full: Template.fromStack(fullStack) } };
});

/** The user's rights, as lines of `actions on resource`, without the hashes of logical ids. */
const rights = Object.values(templates.full.findResources('AWS::IAM::Policy'))
  .filter(({ Properties }) => JSON.stringify(Properties.Roles).includes('User'))
  .flatMap(({ Properties }) => Policy.parse(Properties).PolicyDocument.Statement)
  .map(({ Action, Resource }) => `${Action} on ${JSON.stringify(Resource).replaceAll(/[0-9A-F]{8}\b/g, '')}`);

describe('the grants of a gateway', () => {
  it.each(['CreateProjectTask', 'PutProjectTask', 'DeleteProjectTask', 'GetProgressTask'])(
    'allow calling %s',
    (task) => {
      expect(rights).toContainEqual(
        expect.stringMatching(
          new RegExp(`^lambda:InvokeFunction on .*"Fn::GetAtt":\\["Projects${task}Lambda","Arn"\\]`),
        ),
      );
    },
  );

  it('allow writing the manifests of one company, and reading the results of all', () => {
    expect(rights).toContainEqual(
      expect.stringMatching(/^s3:Abort\*,s3:PutObject,.* on .*ProjectsStoresManifests.*\/manifests\/acme\/\*"/),
    );
    expect(rights).toContainEqual(
      expect.stringMatching(/^s3:GetObject on .*ProjectsStoresManifests.*\/results\/\*\/\*"/),
    );
    expect(rights.join('\n')).not.toMatch(/s3:PutObject.*results|s3:DeleteObject|s3:List\*/);
    expect(JSON.stringify(templates.full.findResources('AWS::IAM::Policy'))).toContain('{"s3:prefix":"results/*/*"}');
  });

  it('allow replacing the credentials at the upstream service, but not reading them', () => {
    expect(rights).toContainEqual(
      expect.stringMatching(/^secretsmanager:PutSecretValue,.* on .*ProjectsStoresUpstreamSecret/),
    );
    expect(rights.join('\n')).not.toContain('GetSecretValue');
  });

  it('refuse what the gateway does not have, and what is no id of a company', () => {
    const grantee = new Role(minimal, 'Nobody', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    expect(() => minimal.grantWriteManifests(grantee)).toThrow(
      new SettingError('grantWriteManifests needs a gateway whose option bulk is not false'),
    );
    expect(() => minimal.grantReadResults(grantee)).toThrow(SettingError);
    expect(() => minimal.grantReadUpstreamSecret(grantee)).toThrow(
      new SettingError('grantReadUpstreamSecret needs a gateway with an upstream service'),
    );
    expect(() => minimal.grantWriteUpstreamSecret(grantee)).toThrow(SettingError);
    expect(() => minimal.onEvent('Any')).toThrow('onEvent needs a gateway whose option events is not false');
    expect(() => full.grantReadResults(grantee, 'acme/*')).toThrow(/^companyId must be/);
  });
});

it('listens to some of its events', () => {
  templates.full.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: { Ref: Match.stringLikeRegexp('^ProjectsStoresBus') },
    EventPattern: { source: ['segue'], 'detail-type': ['project.deleted'] },
    Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Queue'), 'Arn'] } })],
  });
});

describe('the metrics of a gateway', () => {
  it('have the names and the statistics of the API, and take options', () => {
    expect(full.metricRequests()).toMatchObject({ metricName: 'Count', namespace: 'AWS/ApiGateway' });
    expect(full.metricClientErrors()).toMatchObject({ metricName: '4XXError', statistic: 'Sum' });
    expect(full.metricLatency()).toMatchObject({ metricName: 'Latency', statistic: 'p95' });
    expect(full.metric('IntegrationLatency')).toMatchObject({ metricName: 'IntegrationLatency' });
    const options = { period: Duration.minutes(1), label: 'mine' };
    expect(full.metricRequests(options)).toMatchObject({ metricName: 'Count', ...options });
    expect(full.metricLatency({ statistic: 'p99' }).statistic).toBe('p99');
  });

  it('are those of the alarms, where an alarm has one', () => {
    const same = {
      DeadLetters: full.metricDeadLetters(),
      TableThrottles: full.metricTableThrottles(),
      ClaimedConcurrency: full.metricClaimedConcurrency(),
    };
    for (const [name, metric] of Object.entries(same)) {
      expect(Object(full.alarms.get(name)?.metric).expression).toBe(metric.expression);
      expect(metric.with({ label: 'mine' }).label).toBe('mine');
    }
    expect(full.metricDeadLetters({ period: Duration.minutes(1) }).period).toEqual(Duration.minutes(1));
  });

  it('leave out the failures that the contract requires', () => {
    expect(full.metricServerErrors().expression).toBe('SUM([errors, byContract])');
    templates.full.hasResourceProperties('AWS::Logs::MetricFilter', {
      LogGroupName: { Ref: Match.stringLikeRegexp('^ProjectsHttpLog') },
      FilterPattern: '{ ($.problem = "team-without-translator") || ($.problem = "not-supported") }',
      MetricTransformations: [Match.objectLike({ MetricValue: '-1' })],
    });
  });

  it('count the requests above a rate in the access log, which a gateway may lack', () => {
    expect(full.metricThrottledRequests()).toMatchObject({ metricName: 'ThrottledRequests', statistic: 'Sum' });
    expect(LINE.status).toBe('$context.status');
    // The query of a webhook may have a secret.
    expect(Object.values(LINE).join()).not.toMatch(/\$context\.(?:path|identity)|\$input|query/i);
    templates.full.hasResourceProperties('AWS::Logs::MetricFilter', {
      LogGroupName: { Ref: Match.stringLikeRegexp('^ProjectsApiAccessLogs') },
      FilterPattern: '{ $.status = "429" }',
    });
    expect(() => minimal.metricThrottledRequests()).toThrow(
      'metricThrottledRequests needs a gateway whose option accessLogs is on',
    );
  });
});

describe('the parts of a gateway', () => {
  it('are all there if nothing is off', () => {
    expect([...full.alarms.keys()]).toEqual(expect.arrayContaining(['ServerErrors', 'DeadLetters', 'AuditStopped']));
    expect([...full.bulkProjects.keys()]).toEqual(['acme']);
    const { deliveriesTable, manifests, bulkLog, eventBus, upstreamSecret, canarySecret, alarmTopic, dashboard } = full;
    for (const part of [deliveriesTable, manifests, bulkLog, eventBus, upstreamSecret, canarySecret, alarmTopic])
      expect(part).toBeDefined();
    expect(dashboard).toBeDefined();
    expect(full.rollbackAlarm).toBeDefined();
    expect([full.bucket, full.jobQueue, full.jobDeadLetterQueue]).toEqual([undefined, undefined, undefined]);
  });

  it('are undefined or empty if they are off, and the others are there', () => {
    const { deliveriesTable, manifests, bulkLog, eventBus, upstreamSecret, canarySecret, alarmTopic } = minimal;
    const parts = [deliveriesTable, manifests, bulkLog, eventBus, upstreamSecret, canarySecret, alarmTopic];
    expect(parts.filter(Boolean)).toEqual([]);
    expect([minimal.dashboard, minimal.rollbackAlarm]).toEqual([undefined, undefined]);
    expect(minimal.alarms.size + minimal.bulkProjects.size).toBe(0);
    expect(minimal.jobQueue?.fifo).toBe(true);
    expect(minimal.deadLetterQueue).not.toBe(minimal.jobDeadLetterQueue);
  });

  it('include each function with its log, by name', () => {
    expect(minimal.functionNames).toContain('changeProjects');
    expect(minimal.functionNames).not.toContain('receiveWebhook');
    for (const name of minimal.functionNames) {
      expect(minimal.functionOf(name).functionArn).toBeDefined();
      expect(minimal.logGroupOf(name).logGroupName).toBeDefined();
    }
    expect(() => minimal.functionOf('events')).toThrow('This gateway has no Lambda function events');
  });
});
