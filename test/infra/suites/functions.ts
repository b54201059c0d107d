import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import {
  type FunctionKind,
  type FunctionName,
  functionsOf,
  type ServiceName,
} from '../../../infra/functions/catalogue.ts';
import { GROUP_OF } from '../../../infra/functions/function-groups.ts';
import { STAGES } from '../../../infra/stages.ts';
import { allowedBy, constructOf, propertiesOf } from '../template.ts';

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

const READS = [...on('StoresBucket/*', 's3', 'GetObject'), 's3:ListBucket on StoresBucket'];
const WRITES = [...on('StoresBucket/*', 's3', 'GetObject', 'PutObject'), 's3:ListBucket on StoresBucket'];
const READING = [...table('GetItem', 'BatchGetItem'), ...READS];
const CHANGING = [...table('GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'DeleteItem'), ...WRITES];
const DELETING = [...CHANGING, ...table('ConditionCheckItem')];
const UPSTREAM = secret('UpstreamSecret', 'GetSecretValue');
const READING_OWNED = [...UPSTREAM, ...table('GetItem')];
const LISTING_OWNED = [...READING_OWNED, ...table('Query')];
const CHANGING_OWNED = [...UPSTREAM, ...table('GetItem', 'UpdateItem', 'DeleteItem')];
const DELETING_OWNED = [...CHANGING_OWNED, ...table('ConditionCheckItem')];
const SIGNING = secret('SigningSecret', 'GetSecretValue');
const TOKENS = [...table('GetItem', 'UpdateItem'), ...SIGNING];
const ROTATION = secret(
  'SigningSecret',
  'DescribeSecret',
  'GetSecretValue',
  'PutSecretValue',
  'UpdateSecretVersionStage',
);

const DELIVERING = [
  ...on('StoresDeliveries', 'dynamodb', 'GetItem', 'Query', 'UpdateItem', 'DeleteItem'),
  ...stream('DeliveringStreamDeadLetters', 'StoresDeliveries'),
  'sqs:SendMessage on DeliveringScheduleLetters',
];
const MANIFESTS = [...on('StoresManifests/manifests/*', 's3', 'GetObject'), 's3:ListBucket on StoresManifests'];

const COMMON = {
  listLanguages: [],
  obtainToken: TOKENS,
  refreshToken: [...TOKENS, ...table('ConditionCheckItem')],
  receiveWebhook: [
    ...table('GetItem'),
    ...on('StoresDeliveries', 'dynamodb', 'GetItem', 'UpdateItem'),
    'secretsmanager:GetSecretValue on segue/Segue/webhooks/*',
  ],
  health: [],
  getProblemType: [],
  getDescription: [],
  getReference: [],
  authorizer: [...table('GetItem'), ...SIGNING],
  rotateSigningKeys: ROTATION,
  prepareBulk: [...table('GetItem'), ...MANIFESTS, ...on('StoresManifests/index/*', 's3', 'PutObject')],
  publishEvents: [...table('GetItem'), 'events:PutEvents on StoresBus', ...stream('PublishingStreamDeadLetters')],
};

/** Every action that each function's role has, beside writing to the function's own log. */
const ACTIONS: Record<ServiceName, Partial<Record<FunctionName, readonly string[]>>> = {
  hosted: {
    ...COMMON,
    createProject: CHANGING,
    listProjects: [...READING, ...table('Query')],
    getProject: READING,
    getProjectByCustomId: READING,
    deleteProject: DELETING,
    deleteProjectByCustomId: DELETING,
    getOperation: [...READING, ...table('UpdateItem')],
    createProjectTask: CHANGING,
    deleteProjectTask: DELETING,
    deliveries: [...DELETING, ...DELIVERING],
    bulkLine: [...DELETING, ...MANIFESTS],
    sweeper: [
      ...table('Query', 'GetItem', 'UpdateItem', 'DeleteItem'),
      ...on('StoresBucket/*', 's3', 'DeleteObject', 'DeleteObjectVersion'),
      's3:ListBucketVersions on StoresBucket',
      ...stream('SweepingStreamDeadLetters'),
      'sqs:SendMessage on SweepingScheduleLetters',
    ],
  },
  upstream: {
    ...COMMON,
    createProject: CHANGING_OWNED,
    listProjects: LISTING_OWNED,
    getProject: READING_OWNED,
    getProjectByCustomId: READING_OWNED,
    deleteProject: DELETING_OWNED,
    deleteProjectByCustomId: DELETING_OWNED,
    getOperation: READING_OWNED,
    createProjectTask: CHANGING_OWNED,
    deleteProjectTask: DELETING_OWNED,
    deliveries: [...DELETING_OWNED, ...DELIVERING],
    bulkLine: [...DELETING_OWNED, ...MANIFESTS],
    reconciler: [
      ...CHANGING_OWNED,
      ...table('Query', 'ConditionCheckItem'),
      'sqs:SendMessage on SettlingReconciliationLetters',
    ],
    audit: [...LISTING_OWNED, 'sqs:SendMessage on SettlingAuditLetters'],
  },
};

const CREDENTIALS = ['SEGUE_SIGNING_SECRET', 'SEGUE_TABLE'];
const BEHIND = ['SEGUE_TABLE', 'SEGUE_UPSTREAM_SECRET', 'SEGUE_UPSTREAM_URL'];
/** What a function of its own needs to know. */
const VARIABLES: Partial<Record<FunctionName, string[]>> = {
  obtainToken: [...CREDENTIALS, 'SEGUE_RATE'],
  refreshToken: [...CREDENTIALS, 'SEGUE_RATE'],
  authorizer: CREDENTIALS,
  receiveWebhook: ['SEGUE_DELIVERIES_TABLE', 'SEGUE_TABLE', 'SEGUE_WEBHOOK_SECRETS'],
  prepareBulk: ['SEGUE_MANIFESTS', 'SEGUE_TABLE'],
  sweeper: ['SEGUE_BUCKET', 'SEGUE_TABLE'],
  publishEvents: ['SEGUE_EVENT_BUS', 'SEGUE_TABLE'],
  reconciler: BEHIND,
  audit: BEHIND,
};
/** What those need to know that work on projects. */
const SERVICE_VARIABLES: Record<ServiceName, string[]> = {
  hosted: ['SEGUE_BUCKET', 'SEGUE_TABLE'],
  upstream: BEHIND,
};
const TIMEOUT_SECONDS: Record<FunctionKind, number> = { http: 29, authorizer: 10, task: 60, bulk: 60, background: 240 };
const OWN_TIMEOUT_SECONDS: Partial<Record<FunctionName, number>> = {
  deliveries: 55,
  reconciler: 55,
  audit: 900,
  prepareBulk: 900,
};

/** How each function runs, what it is told and what it may do. */
export function functions(template: Template, service: ServiceName): void {
  const deployed = functionsOf({ service, platform: 'aws' });
  const lambdas = propertiesOf(template, 'AWS::Lambda::Function');
  const roles = propertiesOf(template, 'AWS::IAM::Role');
  const logs = propertiesOf(template, 'AWS::Logs::LogGroup');

  it.each(deployed)('runs $name on Node 24 on arm64, with a role and a log of its own', ({ name, kind }) => {
    const id = constructOf(name);
    expect(lambdas.get(`${id}Lambda`)).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 1769,
      Timeout: OWN_TIMEOUT_SECONDS[name] ?? TIMEOUT_SECONDS[kind],
      Role: { 'Fn::GetAtt': [expect.stringMatching(`^${id}Role[0-9A-F]{8}$`), 'Arn'] },
      LoggingConfig: { LogGroup: { Ref: expect.stringMatching(`^${id}Log[0-9A-F]{8}$`) } },
    });
    expect(logs.get(`${id}Log`)).toEqual({ RetentionInDays: 30 });
  });

  it.each(deployed)('allows $name its log and what it needs, and nothing else', ({ name }) => {
    const id = constructOf(name);
    const log = [`logs:CreateLogStream on ${id}Log`, `logs:PutLogEvents on ${id}Log`];
    expect(allowedBy(roles.get(`${id}Role`))).toEqual([...log, ...(ACTIONS[service][name] ?? [])].sort());
  });

  it.each(deployed)('tells $name where that is, and nothing else', ({ name }) => {
    const { Environment } = Object(lambdas.get(`${constructOf(name)}Lambda`));
    const isWorker = name === 'deliveries';
    const isOnProjects = isWorker || ['Projects', 'Tasks'].includes(GROUP_OF[name]);
    const onProjects = isOnProjects ? [...SERVICE_VARIABLES[service]] : [];
    if (isWorker) onProjects.push('SEGUE_DELIVERIES_TABLE');
    if (name === 'bulkLine') onProjects.push('SEGUE_MANIFESTS');
    const isDeleting = service === 'hosted' && (isWorker || /^(create|delete)Project|^bulkLine/.test(name));
    const expected = VARIABLES[name] ?? [...onProjects, ...(isDeleting ? ['SEGUE_RECOVERY_DAYS'] : [])];
    expect(Object.keys(Environment?.Variables ?? {}).sort()).toEqual([...expected].sort());
  });

  it('tells the token operations the rate of the usage plan', () => {
    for (const name of ['ObtainToken', 'RefreshToken']) {
      const { Environment } = Object(lambdas.get(`${name}Lambda`));
      expect(Environment.Variables.SEGUE_RATE).toBe(
        `${STAGES.production.rate.perSecond}:${STAGES.production.rate.burst}`,
      );
    }
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
