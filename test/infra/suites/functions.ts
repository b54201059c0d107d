import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { type FunctionName, functionsOf, type ServiceName } from '../../../infra/functions/catalogue.ts';
import { STAGES } from '../../../infra/options.ts';
import { allowedBy, constructOf, propertiesOf, variablesOf } from '../template.ts';

/** Lines of `action on resource`. */
const on = (resource: string, prefix: string, ...actions: string[]) =>
  actions.map((action) => `${prefix}:${action} on ${resource}`);
const table = (...actions: string[]) => on('StoresTable', 'dynamodb', ...actions);
const secret = (name: string, ...actions: string[]) => on(`Stores${name}`, 'secretsmanager', ...actions);
const stream = (queue: string, table = 'StoresTable') => [
  ...on(`${table}.StreamArn`, 'dynamodb', 'DescribeStream', 'GetRecords', 'GetShardIterator'),
  'dynamodb:ListStreams on *',
  `sqs:SendMessage on ${queue}`,
];

const READING = [
  ...table('GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
  ...on('StoresBucket/*', 's3', 'GetObject'),
  's3:ListBucket on StoresBucket',
];
const CREATING = [
  ...table('GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'DeleteItem'),
  ...on('StoresBucket/*', 's3', 'GetObject', 'PutObject'),
  's3:ListBucket on StoresBucket',
];
const CHANGING = [...CREATING, ...table('ConditionCheckItem')];
const UPSTREAM = secret('UpstreamSecret', 'GetSecretValue');
const READING_UPSTREAM = [...UPSTREAM, ...table('GetItem', 'Query')];
const CREATING_UPSTREAM = [...UPSTREAM, ...table('GetItem', 'UpdateItem', 'DeleteItem')];
const CHANGING_UPSTREAM = [...CREATING_UPSTREAM, ...table('ConditionCheckItem')];
const SIGNING = secret('SigningSecret', 'GetSecretValue');

const DELIVERING = [
  ...on('StoresDeliveries', 'dynamodb', 'GetItem', 'Query', 'UpdateItem', 'DeleteItem'),
  ...stream('DeliveriesStreamDeadLetters', 'StoresDeliveries'),
  'sqs:SendMessage on DeliveriesScheduleDeadLetters',
];
const MANIFESTS = [...on('StoresManifests/manifests/*', 's3', 'GetObject'), 's3:ListBucket on StoresManifests'];

const COMMON = {
  pages: [],
  tokens: [...table('GetItem', 'UpdateItem', 'ConditionCheckItem'), ...SIGNING],
  authorizer: [...table('GetItem'), ...SIGNING],
  receiveWebhook: [
    ...table('GetItem'),
    ...on('StoresDeliveries', 'dynamodb', 'GetItem', 'UpdateItem'),
    'secretsmanager:GetSecretValue on segue/Segue/webhooks/*',
  ],
  rotateSigningKeys: secret(
    'SigningSecret',
    'DescribeSecret',
    'GetSecretValue',
    'PutSecretValue',
    'UpdateSecretVersionStage',
  ),
  prepareBulk: [...table('GetItem'), ...MANIFESTS, ...on('StoresManifests/index/*', 's3', 'PutObject')],
  publishEvents: [...table('GetItem'), 'events:PutEvents on StoresBus', ...stream('PublishEventsStreamDeadLetters')],
};

/** Every action that each function's role allows, beside writing to the function's own log. */
const ACTIONS: Record<ServiceName, Partial<Record<FunctionName, readonly string[]>>> = {
  hosted: {
    ...COMMON,
    changeProjects: CHANGING,
    readProjects: READING,
    createProjectTask: CREATING,
    deleteProjectTask: CHANGING,
    deliveries: [...CHANGING, ...DELIVERING],
    bulkLine: [...CHANGING, ...MANIFESTS],
    sweeper: [
      ...table('Query', 'GetItem', 'UpdateItem', 'DeleteItem'),
      ...on('StoresBucket/*', 's3', 'DeleteObject', 'DeleteObjectVersion'),
      's3:ListBucketVersions on StoresBucket',
      ...stream('SweeperStreamDeadLetters'),
      'sqs:SendMessage on SweeperScheduleDeadLetters',
    ],
  },
  upstream: {
    ...COMMON,
    changeProjects: CHANGING_UPSTREAM,
    readProjects: READING_UPSTREAM,
    createProjectTask: CREATING_UPSTREAM,
    deleteProjectTask: CHANGING_UPSTREAM,
    deliveries: [...CHANGING_UPSTREAM, ...DELIVERING],
    bulkLine: [...CHANGING_UPSTREAM, ...MANIFESTS],
    reconciler: [...CHANGING_UPSTREAM, ...table('Query'), 'sqs:SendMessage on ReconcilerScheduleDeadLetters'],
    audit: [...READING_UPSTREAM, 'sqs:SendMessage on AuditScheduleDeadLetters'],
  },
};

const CREDENTIALS = ['SEGUE_SIGNING_SECRET', 'SEGUE_TABLE'];
const STORE: Record<ServiceName, readonly string[]> = {
  hosted: ['SEGUE_BUCKET', 'SEGUE_TABLE'],
  upstream: ['SEGUE_TABLE', 'SEGUE_UPSTREAM_SECRET', 'SEGUE_UPSTREAM_URL'],
};
const RECEIPT: Record<ServiceName, readonly string[]> = { hosted: ['SEGUE_RECOVERY_DAYS'], upstream: [] };
const variables = (service: ServiceName): Partial<Record<FunctionName, readonly string[]>> => {
  const changing = [...STORE[service], ...RECEIPT[service]];
  return {
    changeProjects: changing,
    readProjects: STORE[service],
    tokens: [...CREDENTIALS, 'SEGUE_RATE'],
    authorizer: CREDENTIALS,
    receiveWebhook: ['SEGUE_DELIVERIES_TABLE', 'SEGUE_TABLE', 'SEGUE_WEBHOOK_SECRETS'],
    createProjectTask: changing,
    deleteProjectTask: changing,
    prepareBulk: ['SEGUE_MANIFESTS', 'SEGUE_TABLE'],
    bulkLine: [...changing, 'SEGUE_MANIFESTS'],
    sweeper: ['SEGUE_BUCKET', 'SEGUE_TABLE'],
    publishEvents: ['SEGUE_EVENT_BUS', 'SEGUE_TABLE'],
    deliveries: [...changing, 'SEGUE_DELIVERIES_TABLE'],
    reconciler: STORE.upstream,
    audit: STORE.upstream,
  };
};

const TIMEOUT_SECONDS: Record<FunctionName, number> = {
  changeProjects: 29,
  readProjects: 29,
  tokens: 29,
  receiveWebhook: 29,
  pages: 29,
  authorizer: 10,
  createProjectTask: 60,
  deleteProjectTask: 60,
  prepareBulk: 900,
  bulkLine: 60,
  sweeper: 240,
  publishEvents: 240,
  deliveries: 55,
  reconciler: 55,
  audit: 900,
  rotateSigningKeys: 240,
};

/** How each function runs, what its role allows, and its variables. */
export function functions(template: Template, service: ServiceName): void {
  const deployed = functionsOf(service);
  const lambdas = propertiesOf(template, 'AWS::Lambda::Function');
  const roles = propertiesOf(template, 'AWS::IAM::Role');
  const logs = propertiesOf(template, 'AWS::Logs::LogGroup');

  it.each(deployed)('runs $name on Node 24 on arm64, with its own role and log', ({ name }) => {
    const id = constructOf(name);
    expect(lambdas.get(`${id}Lambda`)).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 1769,
      Timeout: TIMEOUT_SECONDS[name],
      Role: { 'Fn::GetAtt': [expect.stringMatching(`^${id}Role[0-9A-F]{8}$`), 'Arn'] },
      LoggingConfig: { LogGroup: { Ref: expect.stringMatching(`^${id}Log[0-9A-F]{8}$`) } },
    });
    expect(logs.get(`${id}Log`)).toEqual({ RetentionInDays: 30 });
  });

  it.each(deployed)('allows $name to write its log, and these actions only', ({ name }) => {
    const id = constructOf(name);
    const log = [`logs:CreateLogStream on ${id}Log`, `logs:PutLogEvents on ${id}Log`];
    expect(allowedBy(roles.get(`${id}Role`))).toEqual([...log, ...(ACTIONS[service][name] ?? [])].sort());
  });

  it.each(deployed)('gives $name the names of these resources, and no other variable', ({ name }) => {
    const found = Object.keys(variablesOf(template, name));
    expect(found.sort()).toEqual([...(variables(service)[name] ?? [])].sort());
  });

  it('gives the token operations the rate of the usage plan', () => {
    const { rate } = STAGES.production;
    expect(variablesOf(template, 'tokens')['SEGUE_RATE']).toBe(`${rate.perSecond}:${rate.burst}`);
  });

  it('has no other function, role, policy or log, but for the API’s own', () => {
    template.resourceCountIs('AWS::IAM::Policy', 0);
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0);
    const names = deployed.map(({ name }) => constructOf(name));
    expect([...lambdas.keys()].sort()).toEqual(names.map((id) => `${id}Lambda`).sort());
    expect([...roles.keys()].sort()).toEqual([...names.map((id) => `${id}Role`), 'ApiAccessLogsRole'].sort());
    expect([...logs.keys()].sort()).toEqual([...names.map((id) => `${id}Log`), 'ApiAccessLogsLog'].sort());
  });
}
