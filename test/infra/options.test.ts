import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ROOT } from '../../infra/bundle.ts';
import { ROUTES } from '../../lib/contract/routes.ts';
import { EVERY_OPTION } from '../../scripts/contexts.ts';
import { FIREWALL } from '../../scripts/docs/cost.ts';
import { synthesise } from './synthesise.ts';
import { allowedBy, gatewayResponsesOf, methodsOf, propertiesOf } from './template.ts';

const template = await synthesise('hosted', EVERY_OPTION);
const development = await synthesise('hosted', { stage: 'development' });

const KEY = EVERY_OPTION['encryptionKeyArn'];
const TOPIC = EVERY_OPTION['alarmTopicArn'];

const policies = [...propertiesOf(template, 'AWS::IAM::Policy').values()];
const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(z.object({ Action: z.union([z.string(), z.array(z.string())]), Resource: z.unknown() })),
  }),
});

/** Lines of actions with what they are on, as JSON without hashes. */
const allowed = policies
  .flatMap((policy) => Policy.parse(policy).PolicyDocument.Statement)
  .map(
    ({ Action, Resource }) => `${[Action].flat().join()} ${JSON.stringify(Resource).replaceAll(/[0-9A-F]{8}\b/g, '')}`,
  );

describe('a domain of one’s own', () => {
  it('leads to the API, which answers nowhere else', () => {
    template.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'projects.example.com',
      RegionalCertificateArn: EVERY_OPTION['certificateArn'],
      SecurityPolicy: 'TLS_1_2',
    });
    template.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1' });
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    template.hasOutput('ApiUrl', { Value: 'https://projects.example.com/v1' });
    template.hasOutput('DomainTarget', { Value: Match.anyValue() });
  });

  it('is where problems have their pages, those too that the gateway says', () => {
    const bodies = [
      ...[...gatewayResponsesOf(template).values()].map((response) => response.ResponseTemplates['application/json']),
      methodsOf(template).get('ANY /health')?.Integration.IntegrationResponses?.[0]?.ResponseTemplates[
        'application/json'
      ] ?? '',
    ];
    for (const body of bodies) {
      expect(JSON.parse(body).type).toMatch(/^https:\/\/projects\.example\.com\/v1\/problems\/[a-z-]+$/);
    }
  });
});

describe('the firewall', () => {
  it('stands before the API, and only counts where content and ids would be judged', () => {
    template.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);
    const { Rules } = Object([...propertiesOf(template, 'AWS::WAFv2::WebACL').values()][0]);
    expect(Rules).toHaveLength(FIREWALL.firewallRuleMonth);
    const groups = Rules.filter(({ Statement }: Rule) => Statement.ManagedRuleGroupStatement);
    const overrides = groups.flatMap(({ Statement }: Rule) => Statement.ManagedRuleGroupStatement?.RuleActionOverrides);
    const names = overrides.map(({ Name }: Override) => Name);
    expect(names).toEqual(
      expect.arrayContaining([
        'SizeRestrictions_BODY',
        'CrossSiteScripting_BODY',
        'RestrictedExtensions_URIPATH',
        'ExploitablePaths_URIPATH',
        'JavaDeserializationRCE_URIPATH',
        'JavaDeserializationRCE_QUERYSTRING',
        'ReactJSRCE_BODY',
      ]),
    );
    for (const name of names) expect(name).toMatch(/_(BODY|URIPATH|QUERYSTRING|QUERYARGUMENTS)$/);
    for (const { ActionToUse } of overrides) expect(ActionToUse).toEqual({ Count: {} });
  });

  it('limits the requests of an address, and those to the token operations further', () => {
    const { Rules } = Object([...propertiesOf(template, 'AWS::WAFv2::WebACL').values()][0]);
    const limits = Rules.filter(({ Statement }: Rule) => Statement.RateBasedStatement);
    expect(limits).toMatchObject([
      {
        Action: { Block: {} },
        Statement: {
          RateBasedStatement: {
            Limit: 1_000,
            AggregateKeyType: 'IP',
            EvaluationWindowSec: 300,
            ScopeDownStatement: {
              ByteMatchStatement: { FieldToMatch: { UriPath: {} }, SearchString: '/authentication/' },
            },
          },
        },
      },
      { Action: { Block: {} }, Statement: { RateBasedStatement: { Limit: 60_000, AggregateKeyType: 'IP' } } },
    ]);
    for (const path of ['obtainToken', 'refreshToken'].map((id) => ROUTES.find((route) => route.id === id)?.path)) {
      expect(path).toContain('/authentication/');
    }
  });

  it('refuses with a problem that says nothing was done', () => {
    const refusal = gatewayResponsesOf(template).get('WAF_FILTERED');
    expect(refusal?.StatusCode).toBe('400');
    expect(JSON.parse(refusal?.ResponseTemplates['application/json'] ?? '')).toMatchObject({
      type: 'https://projects.example.com/v1/problems/invalid-header',
      retryable: false,
      outcome: 'not-applied',
    });
  });

  it('keeps no samples of requests', () => {
    const acl = JSON.stringify([...propertiesOf(template, 'AWS::WAFv2::WebACL').values()]);
    expect(acl).toContain('"SampledRequestsEnabled":false');
    expect(acl).not.toContain('"SampledRequestsEnabled":true');
  });
});

describe('a key of one’s own', () => {
  it('encrypts table, bucket and secrets', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY },
    });
    template.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { BucketKeyEnabled: true, ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY } },
        ],
      },
    });
    template.allResourcesProperties('AWS::SecretsManager::Secret', { KmsKeyId: KEY });
  });

  it.each([
    ['PublishEvents', ['kms:Decrypt', 'kms:DescribeKey']],
    ['Authorizer', ['kms:Decrypt', 'kms:DescribeKey']],
    [
      'ChangeProjects',
      ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
    ],
    ['Pages', []],
  ])('may be used by %s as far as it has to', (name, actions) => {
    const allowed = allowedBy(propertiesOf(template, 'AWS::IAM::Role').get(`${name}Role`));
    const withKey = allowed.filter((line) => line.startsWith('kms:'));
    expect([...new Set(withKey)]).toEqual(actions.map((action) => `${action} on ${KEY}`));
  });
});

it('lets the task that creates read the buckets of projects by reference, and no other function', () => {
  const roles = [...propertiesOf(template, 'AWS::IAM::Role')];
  const lines = roles.flatMap(([id, role]) =>
    id === 'ApiAccessLogsRole' ? [] : allowedBy(role).map((line) => `${id}: ${line}`),
  );
  expect(lines.filter((line) => line.includes('exports-of-')).sort()).toEqual(
    ['exports-of-another/*', 'exports-of-one/*']
      .flatMap((objects) => [
        `CreateProjectTaskRole: s3:GetObject on ${objects}`,
        `CreateProjectTaskRole: s3:GetObjectVersion on ${objects}`,
      ])
      .sort(),
  );
});

it('tells the topic of silence where that is bad', () => {
  const alarms = [...propertiesOf(template, 'AWS::CloudWatch::Alarm')];
  const told = alarms.filter(([, alarm]) => 'InsufficientDataActions' in Object(alarm));
  expect(told.map(([id]) => id)).toEqual(['AlarmsSweeperBacklog', 'AlarmsDeliveriesBacklog']);
  for (const [, alarm] of told) expect(Object(alarm).InsufficientDataActions).toEqual([TOPIC]);
});

it('sends every alarm to the topic, and says there when it is over', () => {
  template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [TOPIC], OKActions: [TOPIC] });
});

it('keeps room for a function, tells it how far off a start date may be, and sets nothing back', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    ReservedConcurrentExecutions: 5,
    Environment: { Variables: { SEGUE_START_TOLERANCE_SECONDS: '60' } },
  });
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
  });
});

describe('the state machine of a company', () => {
  it('is put out by the company', () => {
    const { Value } = Object(template.findOutputs('BulkMachines')['BulkMachines']);
    expect(JSON.stringify(Value)).toMatch(/acme.*BulkacmeMachine/);
  });

  it('may call its two functions, read its index, write its results and run itself, and nothing else of ours', () => {
    const ours = allowed.filter((line) => !/^(logs|xray|kms):/.test(line));
    expect(ours).toEqual([
      expect.stringMatching(/^lambda:InvokeFunction \[.*"BulkLineLambda","Arn".*"PrepareBulkLambda","Arn".*\]$/),
      expect.stringMatching(/^s3:GetObject .*"StoresManifests","Arn".*"\/index\/acme\/\*"/),
      expect.stringMatching(
        /^s3:AbortMultipartUpload,s3:GetObject,s3:ListMultipartUploadParts,s3:PutObject .*"StoresManifests","Arn".*"\/results\/acme\/\*"/,
      ),
      expect.stringMatching(/^states:StartExecution \{"Ref":"BulkacmeMachine"\}$/),
      expect.stringMatching(
        /^states:DescribeExecution,states:StopExecution .*:execution:.*"BulkacmeMachine","Name".*":\*"/,
      ),
      expect.stringMatching(/^states:RedriveExecution .*:execution:.*"BulkacmeMachine","Name".*"\/Lines:\*"/),
    ]);
  });

  it('keeps nothing of what flows through it, is traced, and says what fails', () => {
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      LoggingConfiguration: { IncludeExecutionData: false, Level: 'ERROR' },
      TracingConfiguration: { Enabled: true },
    });
  });

  it('has an alarm, and what to do then', () => {
    const { AlarmDescription } = Object(propertiesOf(template, 'AWS::CloudWatch::Alarm').get('AlarmsBulkFailed'));
    const [loses = ''] = String(AlarmDescription).split(' Look first at ');
    const page = readFileSync(resolve(ROOT, 'docs/operations.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(page).toContain(`### BulkFailed ${loses}`);
  });
});

describe('the stage development', () => {
  it('leaves nothing behind', () => {
    for (const type of [
      'AWS::DynamoDB::Table',
      'AWS::S3::Bucket',
      'AWS::SecretsManager::Secret',
      'AWS::Logs::LogGroup',
    ]) {
      development.allResources(type, { DeletionPolicy: 'Delete' });
    }
    development.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false });
  });

  it('has no alarm, dashboard, access log or role of the account', () => {
    const types = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::ApiGateway::Account'];
    for (const type of types) development.resourceCountIs(type, 0);
    development.hasResourceProperties('AWS::ApiGateway::Stage', { AccessLogSetting: Match.absent() });
  });
});

interface Rule {
  readonly Action?: unknown;
  readonly Statement: {
    readonly ManagedRuleGroupStatement?: { readonly RuleActionOverrides: readonly Override[] };
    readonly RateBasedStatement?: { readonly Limit: number; readonly AggregateKeyType: string };
  };
}
interface Override {
  readonly Name: string;
  readonly ActionToUse: unknown;
}
