import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ratesOfMethods } from '../../infra/api/method-rates.ts';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { EVERY_OPTION } from '../../tools/contexts.ts';
import { read } from '../docs/world.ts';
import { alarmsOf } from './suites/alarms.ts';
import { managedFirewall } from './suites/firewall.ts';
import { synthesise, synthesiseAll } from './synthesise.ts';
import { allowedBy, gatewayResponsesOf, methodRatesOf, methodsOf, propertiesOf, variablesOf } from './template.ts';

const { template, bulk } = await synthesiseAll('hosted', EVERY_OPTION);
if (!bulk) throw new RangeError('A company has no state machine');
const TRANSLATION = {
  translationEngine: 'deepl',
  translationUrl: 'https://api-free.deepl.com',
  translationSecretArn: 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:translation-AbCdEf',
  translationCharactersPerDay: '5000',
  translationPrice: '20 EUR',
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
    const refused = methodsOf(template).get('ANY /health')?.['x-amazon-apigateway-integration'].responses?.default;
    const bodies = [...gatewayResponsesOf(template).values(), ...(refused ? [refused] : [])].map(
      ({ responseTemplates }) => responseTemplates['application/json'] ?? '',
    );
    expect(bodies.length).toBeGreaterThan(1);
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
      expect(found?.security).toBeUndefined();
      const integration = found?.['x-amazon-apigateway-integration'];
      expect(integration?.type).toBe('aws_proxy');
      expect(integration?.uri).toContain('/functions/ConsoleLive/');
    }
    expect(methods.get('ANY /console')?.['x-amazon-apigateway-integration'].type).toBe('mock');
    template.hasOutput('ConsoleUrl', { Value: 'https://projects.example.com/v1/console' });
  });

  it('may only write its log', () => {
    const role = propertiesOf(template, 'AWS::IAM::Role').get('ConsoleRole');
    expect(allowedBy(role)).toEqual(['logs:CreateLogStream on HttpLog', 'logs:PutLogEvents on HttpLog']);
  });

  it('is absent by default', () => {
    expect([...methodsOf(development).keys()].filter((target) => target.includes('console'))).toEqual([]);
    expect(propertiesOf(development, 'AWS::IAM::Role').has('ConsoleRole')).toBe(false);
  });
});

describe('the door of agents', () => {
  it('is served by a function of its own: messages with credentials, metadata without', () => {
    const methods = methodsOf(template);
    const targets = [...methods.keys()].filter((target) => /mcp|oauth-/.test(target));
    const metadata = ['protected-resource', 'protected-resource/mcp', 'authorization-server'].map(
      (name) => `/.well-known/oauth-${name}`,
    );
    const served = ['POST /mcp', ...metadata.flatMap((path) => [`GET ${path}`, `HEAD ${path}`])];
    expect(targets.sort()).toEqual([...served, 'ANY /mcp', ...metadata.map((path) => `ANY ${path}`)].sort());
    for (const target of served) {
      const found = methods.get(target);
      expect(found?.['x-amazon-apigateway-integration'].uri).toContain('/functions/AgentsLive/');
      expect(found?.security !== undefined).toBe(target === 'POST /mcp');
    }
    // Streams and sessions, which GET and DELETE are for, do not exist.
    expect(methods.get('ANY /mcp')?.['x-amazon-apigateway-integration'].type).toBe('mock');
    template.hasOutput('AgentsUrl', { Value: 'https://projects.example.com/v1/mcp' });
  });

  it('may do what its operations may, and no more', () => {
    const roles = propertiesOf(template, 'AWS::IAM::Role');
    const operations = ['ChangeProjectsRole', 'ChangeTranslationsRole', 'ReadProjectsRole'];
    const allowed = new Set(operations.flatMap((name) => allowedBy(roles.get(name))));
    expect(new Set(allowedBy(roles.get('AgentsRole')))).toEqual(allowed);
  });

  it('is absent by default', () => {
    expect([...methodsOf(development).keys()].filter((target) => /mcp|oauth-/.test(target))).toEqual([]);
    expect(propertiesOf(development, 'AWS::IAM::Role').has('AgentsRole')).toBe(false);
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

it('lets only the tasks that create and put projects read the buckets of projects by reference', () => {
  const roles = [...propertiesOf(template, 'AWS::IAM::Role')].filter(([id]) => id !== 'ApiAccessLogsRole');
  const lines = roles.flatMap(([id, role]) => allowedBy(role).map((line) => `${id}: ${line}`));
  const rights = ['GetObject', 'GetObjectVersion'].flatMap((right) =>
    ['another', 'one'].map((bucket) => `s3:${right} on exports-of-${bucket}/*`),
  );
  expect(lines.filter((line) => line.includes('exports-of-')).sort()).toEqual(
    ['CreateProjectTask', 'PutProjectTask'].flatMap((task) => rights.map((right) => `${task}Role: ${right}`)),
  );
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
    SEGUE_TRANSLATION_PRICE: '20 EUR',
  });
});

it('sends e-mails from one address, and only if the option is set', () => {
  const role = propertiesOf(development, 'AWS::IAM::Role').get('SendMailRole');
  // SES checks the permission on the default configuration set of the identity too, if it has one.
  expect(allowedBy(role).filter((line) => line.startsWith('ses:'))).toEqual(
    ['configuration-set/*', 'identity/example.com', 'identity/segue@example.com'].map(
      (name) => `ses:SendEmail on arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:${name}`,
    ),
  );
  expect(JSON.stringify(role)).toContain('{"StringEquals":{"ses:FromAddress":"segue@example.com"}}');
  expect(variablesOf(development, 'sendMail')).toMatchObject({
    SEGUE_MAIL_FROM: MAIL.mailFrom,
    SEGUE_MAIL_DOMAINS: MAIL.mailDomains,
  });
  expect([...propertiesOf(template, 'AWS::Lambda::Function').keys()]).not.toContain('SendMailLambda');
});

describe('the notification of alarms', () => {
  it('goes to the topic of the option, to which an address is subscribed', () => {
    for (const { AlarmActions } of alarmsOf(template).values()) expect(AlarmActions).toEqual([TOPIC]);
    template.resourceCountIs('AWS::SNS::Topic', 0);
    template.hasResourceProperties('AWS::SNS::Subscription', {
      TopicArn: TOPIC,
      Protocol: 'email',
      Endpoint: EVERY_OPTION['alarmEmail'],
    });
  });

  it('goes to a topic of its own with the key of the option, which only the alarms of the account may use', async () => {
    const { alarmTopicArn: _, ...others } = EVERY_OPTION;
    const own = await synthesise('upstream', others);
    own.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: KEY });
    own.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ],
      },
    });
  });

  it('needs a valid address', async () => {
    await expect(synthesise('hosted', { alarmEmail: 'ops' })).rejects.toThrow(
      'alarmEmail must be an e-mail address, such as -c alarmEmail=ops@example.com, or none',
    );
  });

  it('goes nowhere if the operator chooses none', async () => {
    const silent = await synthesise('hosted', { alarmEmail: 'none' });
    silent.resourceCountIs('AWS::SNS::Topic', 0);
    silent.resourceCountIs('AWS::SNS::Subscription', 0);
    silent.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: Match.absent(),
      OKActions: Match.absent(),
      InsufficientDataActions: Match.absent(),
    });
  });
});

it('raises no alarm for writes above the limit that the operator has set, but for all other throttles', () => {
  const throttles = (of: Template) => {
    const { Metrics } = Object(propertiesOf(of, 'AWS::CloudWatch::Alarm').get('AlarmsTableThrottles'));
    const Throttles = z.array(
      z.object({ MetricStat: z.optional(z.object({ Metric: z.object({ MetricName: z.string() }) })) }),
    );
    return new Set(Throttles.parse(Metrics).flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? []));
  };
  expect(throttles(template)).toEqual(
    new Set(['ReadThrottleEvents', 'WriteKeyRangeThroughputThrottleEvents', 'WriteAccountLimitThrottleEvents']),
  );
});

it('counts the throttles of functions with reserved concurrency', () => {
  const { Metrics } = Object(propertiesOf(template, 'AWS::CloudWatch::Alarm').get('AlarmsThrottles'));
  expect(Metrics).toMatchObject([
    { Expression: 'SUM([changeProjects])' },
    { MetricStat: { Metric: { Namespace: 'AWS/Lambda', MetricName: 'Throttles' } } },
  ]);
  expect(read('docs/alarms.md')).toContain('## Throttles');
});

describe('the rates of methods', () => {
  it('replace a default, and leave the others', () => {
    const rates = methodRatesOf(template);
    expect(rates.get('POST /segments/projects')).toEqual([20, 40]);
    expect(rates.get('POST /authentication/token')).toEqual([100, 200]);
    expect(rates.get('GET /console/{file}')).toEqual([10, 20]);
  });

  it('are never above the rate of all methods by default', () => {
    const methodRate = { perSecond: 40, burst: 300 };
    const methodRates = { listProjects: { perSecond: 60, burst: 80 } };
    const rates = ratesOfMethods(ROUTES, { methodRate, methodRates });
    const of = (perSecond: number, burst: number) => ({ throttlingRateLimit: perSecond, throttlingBurstLimit: burst });
    expect(rates).toMatchObject({
      '/segments/projects/POST': of(40, 300),
      '/authentication/token/POST': of(40, 200),
      '/segments/projects/GET': of(60, 80),
      '/segments/projects/HEAD': of(60, 80),
    });
  });
});

it('limits the writes of two tables, and only with the option: keys can be revoked at any time', () => {
  const limitsOf = (of: Template) =>
    Object.fromEntries(
      [...propertiesOf(of, 'AWS::DynamoDB::Table')].map(([id, table]) => [id, Object(table).OnDemandThroughput]),
    );
  const limit = { MaxWriteRequestUnits: 2_000 };
  expect(limitsOf(template)).toEqual({ StoresTable: limit, StoresDeliveries: limit, StoresCredentials: undefined });
  expect(Object.values(limitsOf(development))).toEqual([undefined, undefined, undefined]);
});

it('has a budget for the account, whose warnings go to an address, and only with the option', () => {
  const warning = (NotificationType: string, Threshold: number) => ({
    Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'ops@example.com' }],
  });
  expect([...propertiesOf(template, 'AWS::Budgets::Budget').values()]).toEqual([
    {
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 200, Unit: 'USD' } },
      NotificationsWithSubscribers: [warning('ACTUAL', 80), warning('FORECASTED', 100)],
    },
  ]);
  development.resourceCountIs('AWS::Budgets::Budget', 0);
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

it('gives a function more memory, and all others the default', () => {
  const lambdas = propertiesOf(template, 'AWS::Lambda::Function');
  expect(lambdas.get('ChangeProjectsLambda')).toMatchObject({ MemorySize: 3_008 });
  expect(lambdas.get('ReadProjectsLambda')).toMatchObject({ MemorySize: 1_769 });
});

it('provisions concurrency at the alias that API Gateway calls', () => {
  const aliases = [...propertiesOf(template, 'AWS::Lambda::Alias')].map(
    ([id, alias]) => [id, Object(alias).ProvisionedConcurrencyConfig] as const,
  );
  expect(Object.fromEntries(aliases.filter(([, config]) => config))).toEqual({
    AuthorizerLive: { ProvisionedConcurrentExecutions: 1 },
    ChangeProjectsLive: { ProvisionedConcurrentExecutions: 2 },
  });
});

describe('the state machine of a company', () => {
  const Statement = z.object({ Action: z.union([z.string(), z.array(z.string())]), Resource: z.unknown() });
  const Policy = z.object({ PolicyDocument: z.object({ Statement: z.array(Statement) }) });

  it('may invoke its two functions, read its index, write its results and run itself', () => {
    const statements = [...propertiesOf(bulk, 'AWS::IAM::Policy').values()].flatMap(
      (policy) => Policy.parse(policy).PolicyDocument.Statement,
    );
    const lines = statements.map(
      ({ Action, Resource }) => `${Action} ${JSON.stringify(Resource).replaceAll(/[0-9A-F]{8}\b/g, '')}`,
    );
    expect(lines.filter((line) => !/^(logs|xray|kms):/.test(line))).toEqual([
      expect.stringMatching(
        /^lambda:InvokeFunction \[.*"referencetoSegueBulkLineLambda.*"referencetoSeguePrepareBulkLambda.*\]$/,
      ),
      expect.stringMatching(/^s3:GetObject .*"referencetoSegueStoresManifests\w+Arn".*"\/index\/acme\/\*"/),
      expect.stringMatching(
        /^s3:AbortMultipartUpload,s3:GetObject,s3:ListMultipartUploadParts,s3:PutObject .*"referencetoSegueStoresManifests\w+Arn".*"\/results\/acme\/\*"/,
      ),
      expect.stringMatching(/^states:StartExecution \{"Ref":"BulkacmeMachine"\}$/),
      expect.stringMatching(
        /^states:DescribeExecution,states:StopExecution .*:execution:.*"BulkacmeMachine","Name".*":\*"/,
      ),
      expect.stringMatching(/^states:RedriveExecution .*:execution:.*"BulkacmeMachine","Name".*"\/Lines:\*"/),
    ]);
  });

  it('logs failures without data, is traced, and is an output by company', () => {
    bulk.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      LoggingConfiguration: { IncludeExecutionData: false, Level: 'ERROR' },
      TracingConfiguration: { Enabled: true },
    });
    const { Value } = Object(template.findOutputs('BulkMachines')['BulkMachines']);
    expect(JSON.stringify(Value)).toMatch(/acme.*BulkacmeMachine/);
  });

  it('fits into the stack of a hundred companies, which share one log and have no alarms of their own', async () => {
    const companies = Array.from({ length: 100 }, (_, index) => `company-${index}`);
    const many = await synthesiseAll('hosted', { alarms: true, bulkCompanies: companies.join(',') });
    const machines = [...propertiesOf(many.bulk ?? bulk, 'AWS::StepFunctions::StateMachine').values()];
    const logs = machines.map((machine) => JSON.stringify(Object(machine).LoggingConfiguration.Destinations));
    expect(machines).toHaveLength(100);
    expect(new Set(logs).size).toBe(1);
    expect(logs[0]).toContain('referencetoSegueBulkLog');
    expect(alarmsOf(many.template).size).toBe(9);
  });

  it('refuses more companies than its stack has room for', async () => {
    const companies = Array.from({ length: 121 }, (_, index) => `company-${index}`);
    await expect(synthesise('hosted', { bulkCompanies: companies.join(',') })).rejects.toThrow(
      'bulkCompanies may have 120 companies: give the others a BulkProjects in a stack of their own',
    );
  });

  it('tolerates a fifth of failed lines, and ends when its manifest does', () => {
    const { DefinitionString } = Object(propertiesOf(bulk, 'AWS::StepFunctions::StateMachine').get('BulkacmeMachine'));
    const definition = JSON.stringify(DefinitionString);
    expect(definition).toContain('TolerateSome\\":{\\"Type\\":\\"Pass\\",\\"Result\\":20,');
    expect(definition).toContain(`TimeoutSeconds\\":${RETENTIONS.manifest.days * 86_400}`);
    expect(read('docs/bulk.md')).toMatch(/\b20 %/);
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
