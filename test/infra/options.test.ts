import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ROOT } from '../../infra/bundle.ts';
import { EVERY_OPTION } from '../../scripts/contexts.ts';
import { managedFirewall } from './suites/firewall.ts';
import { synthesise } from './synthesise.ts';
import { allowedBy, gatewayResponsesOf, methodsOf, propertiesOf, variablesOf } from './template.ts';

const template = await synthesise('hosted', EVERY_OPTION);
const TRANSLATION = {
  translationEngine: 'deepl',
  translationUrl: 'https://api-free.deepl.com',
  translationSecretArn: 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:translation-AbCdEf',
  translationCharactersPerDay: '5000',
};
const MAIL = { mailFrom: 'segue@example.com', mailDomains: 'example.com,example.org' };
const development = await synthesise('hosted', { stage: 'development', ...TRANSLATION, ...MAIL });

const KEY = EVERY_OPTION['encryptionKeyArn'];
const TOPIC = EVERY_OPTION['alarmTopicArn'];

describe('a custom domain', () => {
  it('leads to the API, which has no other host', () => {
    template.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'projects.example.com',
      RegionalCertificateArn: EVERY_OPTION['certificateArn'],
    });
    template.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1' });
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    template.hasOutput('ApiUrl', { Value: 'https://projects.example.com/v1' });
    template.hasOutput('DomainTarget', { Value: Match.anyValue() });
  });

  it('is in the type of each problem that the gateway answers', () => {
    const notAllowed = methodsOf(template).get('ANY /health')?.Integration.IntegrationResponses ?? [];
    const bodies = [...gatewayResponsesOf(template).values(), ...notAllowed].map(
      ({ ResponseTemplates }) => ResponseTemplates['application/json'] ?? '',
    );
    for (const body of bodies) {
      expect(JSON.parse(body).type).toMatch(/^https:\/\/projects\.example\.com\/v1\/problems\/[a-z-]+$/);
    }
  });
});

it('accepts TLS 1.3 only, at the API and at its domain', () => {
  const policy = { SecurityPolicy: 'SecurityPolicy_TLS13_1_3_2025_09', EndpointAccessMode: 'STRICT' };
  for (const type of ['DomainName', 'RestApi']) template.allResourcesProperties(`AWS::ApiGateway::${type}`, policy);
});

describe('the firewall with managed rules', () => managedFirewall(template));

describe('the console', () => {
  it('is served by a function of its own, without credentials', () => {
    const methods = methodsOf(template);
    for (const target of ['GET /console', 'HEAD /console', 'GET /console/{file}', 'HEAD /console/{file}']) {
      const found = methods.get(target);
      expect(found).toMatchObject({ AuthorizationType: 'NONE', Integration: { Type: 'AWS_PROXY' } });
      expect(found?.Integration.Uri).toContain('/functions/ConsoleLambda/');
    }
    expect(methods.get('ANY /console')).toMatchObject({ Integration: { Type: 'MOCK' } });
    template.hasOutput('ConsoleUrl', { Value: 'https://projects.example.com/v1/console' });
  });

  it('may only write its log', () => {
    const role = propertiesOf(template, 'AWS::IAM::Role').get('ConsoleRole');
    expect(allowedBy(role)).toEqual(['logs:CreateLogStream on ConsoleLog', 'logs:PutLogEvents on ConsoleLog']);
  });

  it('is absent by default', () => {
    expect([...methodsOf(development).keys()].filter((target) => target.includes('console'))).toEqual([]);
    expect(propertiesOf(development, 'AWS::IAM::Role').has('ConsoleRole')).toBe(false);
  });
});

describe('a KMS key', () => {
  it('encrypts logs, queues and the event bus', () => {
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: KEY });
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: KEY, SqsManagedSseEnabled: Match.absent() });
    template.allResourcesProperties('AWS::Events::EventBus', { KmsKeyIdentifier: KEY });
  });

  it('is used through queues by the functions that send to them or read them, and by no others', () => {
    const roles = [...propertiesOf(template, 'AWS::IAM::Role')];
    const usersOf = (text: string) => roles.flatMap(([id, role]) => (JSON.stringify(role).includes(text) ? [id] : []));
    const throughQueues = roles.flatMap(([id, role]) => (/"sqs\."/.test(JSON.stringify(role)) ? [id] : []));
    expect(throughQueues).toEqual(usersOf('"sqs:'));
    expect(throughQueues).toEqual(expect.arrayContaining(['JobsRole', 'PublishEventsRole', 'SweeperRole']));
  });

  it('encrypts tables, buckets and secrets', () => {
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY },
    });
    template.allResourcesProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { BucketKeyEnabled: true, ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY } },
        ],
      },
    });
    template.allResourcesProperties('AWS::SecretsManager::Secret', { KmsKeyId: KEY });
  });

  const READ = ['kms:Decrypt', 'kms:DescribeKey'];
  const WRITE = [...READ, 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];
  it.each([
    ['PublishEvents', WRITE],
    ['Authorizer', WRITE],
    ['GetProgressTask', READ],
    ['ChangeProjects', WRITE],
    ['Pages', []],
  ])('is used by %s as far as its work needs', (name, actions) => {
    const lines = allowedBy(propertiesOf(template, 'AWS::IAM::Role').get(`${name}Role`));
    const withKey = lines.filter((line) => line.startsWith('kms:'));
    expect([...new Set(withKey)]).toEqual(actions.map((action) => `${action} on ${KEY}`));
  });
});

it('lets only the task that creates projects read the buckets of projects by reference', () => {
  const roles = [...propertiesOf(template, 'AWS::IAM::Role')].filter(([id]) => id !== 'ApiAccessLogsRole');
  const lines = roles.flatMap(([id, role]) => allowedBy(role).map((line) => `${id}: ${line}`));
  expect(lines.filter((line) => line.includes('exports-of-')).sort()).toEqual([
    'CreateProjectTaskRole: s3:GetObject on exports-of-another/*',
    'CreateProjectTaskRole: s3:GetObject on exports-of-one/*',
    'CreateProjectTaskRole: s3:GetObjectVersion on exports-of-another/*',
    'CreateProjectTaskRole: s3:GetObjectVersion on exports-of-one/*',
  ]);
});

it('lets only the jobs translate, and creations ask for languages: with Amazon Translate, or with the key of another engine', () => {
  const linesOf = (of: Template) =>
    [...propertiesOf(of, 'AWS::IAM::Role')]
      .filter(([id]) => id !== 'ApiAccessLogsRole')
      .flatMap(([id, role]) => allowedBy(role).map((line) => `${id}: ${line}`))
      .filter((line) => line.includes('translat'));
  expect(linesOf(template)).toEqual([
    'JobsRole: translate:TranslateDocument on *',
    'JobsRole: translate:TranslateText on *',
  ]);
  expect(linesOf(development)).toEqual([
    `ChangeProjectsRole: secretsmanager:GetSecretValue on ${TRANSLATION.translationSecretArn}`,
    `JobsRole: secretsmanager:GetSecretValue on ${TRANSLATION.translationSecretArn}`,
  ]);
  expect(variablesOf(development, 'jobs')).toMatchObject({
    SEGUE_TRANSLATION_ENGINE: 'deepl',
    SEGUE_TRANSLATION_URL: TRANSLATION.translationUrl,
    SEGUE_TRANSLATION_SECRET: TRANSLATION.translationSecretArn,
    SEGUE_TRANSLATION_CHARACTERS_PER_DAY: '5000',
  });
});

it('sends e-mails from one address, and only if the option is set', () => {
  const role = propertiesOf(development, 'AWS::IAM::Role').get('SendMailRole');
  expect(allowedBy(role).filter((line) => line.startsWith('ses:'))).toEqual([
    expect.stringMatching(/^ses:SendEmail on .*:identity\/example\.com$/),
    expect.stringMatching(/^ses:SendEmail on .*:identity\/segue@example\.com$/),
  ]);
  expect(JSON.stringify(role)).toContain('{"StringEquals":{"ses:FromAddress":"segue@example.com"}}');
  expect(variablesOf(development, 'sendMail')).toMatchObject({
    SEGUE_MAIL_FROM: MAIL.mailFrom,
    SEGUE_MAIL_DOMAINS: MAIL.mailDomains,
  });
  expect([...propertiesOf(template, 'AWS::Lambda::Function').keys()]).not.toContain('SendMailLambda');
});

it('sends every alarm and its end to the topic, and missing data of scheduled functions', () => {
  template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [TOPIC], OKActions: [TOPIC] });
  const alarms = [...propertiesOf(template, 'AWS::CloudWatch::Alarm')];
  const ofMissingData = alarms.flatMap(([id, alarm]) => {
    const { InsufficientDataActions } = Object(alarm);
    return InsufficientDataActions ? [[id, InsufficientDataActions]] : [];
  });
  expect(ofMissingData).toEqual([
    ['AlarmsSweeperBacklog', [TOPIC]],
    ['AlarmsSendBacklog', [TOPIC]],
    ['AlarmsJobsBacklog', [TOPIC]],
    ['AlarmsDeliveriesBacklog', [TOPIC]],
  ]);
});

it('reserves concurrency, sets the tolerance of start dates, and turns recovery off', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    ReservedConcurrentExecutions: 5,
    Environment: { Variables: { SEGUE_START_TOLERANCE_SECONDS: '60' } },
  });
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
  });
});

describe('the state machine of a company', () => {
  const Statement = z.object({ Action: z.union([z.string(), z.array(z.string())]), Resource: z.unknown() });
  const Policy = z.object({ PolicyDocument: z.object({ Statement: z.array(Statement) }) });

  it('may invoke its two functions, read its index, write its results and run itself', () => {
    const statements = [...propertiesOf(template, 'AWS::IAM::Policy').values()].flatMap(
      (policy) => Policy.parse(policy).PolicyDocument.Statement,
    );
    const lines = statements.map(
      ({ Action, Resource }) => `${Action} ${JSON.stringify(Resource).replaceAll(/[0-9A-F]{8}\b/g, '')}`,
    );
    expect(lines.filter((line) => !/^(logs|xray|kms):/.test(line))).toEqual([
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

  it('logs failures without data, is traced, and is an output by company', () => {
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      LoggingConfiguration: { IncludeExecutionData: false, Level: 'ERROR' },
      TracingConfiguration: { Enabled: true },
    });
    const { Value } = Object(template.findOutputs('BulkMachines')['BulkMachines']);
    expect(JSON.stringify(Value)).toMatch(/acme.*BulkacmeMachine/);
  });

  it('has an alarm, with an entry in docs/alarms.md', () => {
    const { AlarmDescription } = Object(propertiesOf(template, 'AWS::CloudWatch::Alarm').get('AlarmsBulkFailed'));
    const [impact = ''] = String(AlarmDescription).split(' Look first at ');
    const page = readFileSync(resolve(ROOT, 'docs/alarms.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(page).toContain(`## BulkFailed ${impact}`);
  });
});

describe('the stage development', () => {
  it.each(['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup'])(
    'deletes every %s with the stack',
    (type) => {
      development.allResources(type, { DeletionPolicy: 'Delete' });
    },
  );

  it('has no deletion protection, alarm, dashboard, access log, firewall or role for the account', () => {
    development.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false });
    const types = ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'ApiGateway::Account', 'WAFv2::WebACL'];
    for (const type of types) development.resourceCountIs(`AWS::${type}`, 0);
    development.hasResourceProperties('AWS::ApiGateway::Stage', { AccessLogSetting: Match.absent() });
  });
});
