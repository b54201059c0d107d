import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ROOT } from '../../infra/bundle.ts';
import { checkCdkJson, readSettings, stackNameOf } from '../../infra/context.ts';
import { withDefaults } from '../../infra/defaults.ts';
import type { ProjectGatewayProps } from '../../infra/options.ts';
import { upstream } from '../../infra/services.ts';
import { SettingError } from '../../infra/setting-error.ts';
import { addSegueStack } from '../../infra/stack.ts';
import { UPSTREAM_LOOKUPS } from '../../lib/contract/lookups.ts';
import { SETTLE_SECONDS, UPSTREAM_MARK } from '../../lib/contract/settings.ts';
import { CONTEXTS, type Context, EVERY_OPTION } from '../../tools/contexts.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { withApp } from './synthesise.ts';

// a process takes seconds on a busy machine
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const URL = 'https://projects.example.com';
/** The options that a gateway must have in production. */
const GATEWAY = { service: upstream({ url: URL }), alarmEmail: 'none' };
const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:translation-AbCdEf';

it.each([
  [URL, URL],
  [`${URL}/`, URL],
  [`${URL}:8443/api/v1/`, `${URL}:8443/api/v1`],
])('reads the upstream URL %s as %s', (upstreamUrl, url) => {
  expect(readSettings({ upstreamUrl })).toEqual({ service: { name: 'upstream', url } });
  expect(readSettings({ upstreamUrl, service: 'upstream' })).toEqual({ service: { name: 'upstream', url } });
});

it.each([
  42,
  '',
  'projects.example.com',
  'http://projects.example.com',
  'https://acme:key@projects.example.com',
  `${URL}/?a=b`,
  `${URL}/#a`,
  `${URL}/?`,
  `${URL}/#`,
])('refuses the upstream URL %s', (upstreamUrl) => {
  expect(() => readSettings({ upstreamUrl })).toThrow(SettingError);
});

it('reads every setting, as text or JSON, and ignores settings of the CDK', () => {
  const ofTheCdk = {
    '@aws-cdk/core:checkSecretUsage': true,
    'aws:cdk:bundling-stacks': ['**'],
    'cli-telemetry': false,
  };
  expect(readSettings({ ...CONTEXTS.hosted, ...EVERY_OPTION, ...ofTheCdk })).toEqual({
    ...EVERY_OPTION,
    service: { name: 'hosted' },
    firewallLimit: 500,
    firewallLogDays: 30,
    blockedNetworks: ['203.0.113.7', '198.51.100.0/24', '2001:db8::/32'],
    console: true,
    agents: true,
    waits: true,
    fipsEndpoints: true,
    monthlyBudget: 200,
    maxWriteRequestUnits: 2_000,
    recoveryDays: 0,
    startToleranceSeconds: 60,
    projectsFrom: ['exports-of-one', 'exports-of-another'],
    bulkCompanies: ['acme'],
  });
  expect(readSettings({ service: 'hosted', recoveryDays: 3, alarms: false })).toMatchObject({
    recoveryDays: 3,
    alarms: false,
  });
});

it('reads the settings of automatic translation', () => {
  const context = { translationEngine: 'deepl', translationUrl: `${URL}/`, translationCharactersPerDay: '5000' };
  const { service } = readSettings({ service: 'hosted', ...context, translationSecretArn: SECRET_ARN });
  expect(service).toEqual({
    name: 'hosted',
    translation: { engine: 'deepl', url: URL, secretArn: SECRET_ARN, charactersPerDay: 5_000 },
  });
});

it('reads the settings of e-mail', () => {
  const mail = { mailFrom: 'segue@example.com', mailDomains: 'example.com,example.org' };
  expect(readSettings({ service: 'hosted', ...mail }).service).toEqual({
    name: 'hosted',
    mail: { from: 'segue@example.com', domains: ['example.com', 'example.org'] },
  });
});

it.each([
  ['s3://one-bucket/truststore.pem', { bucketName: 'one-bucket', key: 'truststore.pem' }],
  ['s3://one-bucket/a/b.pem?versionId=x1', { bucketName: 'one-bucket', key: 'a/b.pem', version: 'x1' }],
])('reads the truststore %s', (mtlsTruststore, read) => {
  const { domainName, certificateArn } = EVERY_OPTION;
  expect(readSettings({ service: 'hosted', domainName, certificateArn, mtlsTruststore }).mtlsTruststore).toEqual(read);
});

it.each(['3600', 3_600])('reads the settings of an upstream service with settleSeconds %j', (settleSeconds) => {
  expect(readSettings({ upstreamUrl: URL, upstreamMark: 'our-Segue_2', settleSeconds })).toEqual({
    service: { name: 'upstream', url: URL, mark: 'our-Segue_2', settleSeconds: 3_600 },
  });
});

describe('accepts the same values as the functions', () => {
  const isAccepted = (context: Context) => {
    try {
      return readSettings({ upstreamUrl: URL, ...context }) !== undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(SettingError);
      return false;
    }
  };

  it.each(['', 'a', 'a.b', 'a b', 'é', '-_Z9', 'm'.repeat(32), 'm'.repeat(33)])('upstreamMark %j', (upstreamMark) => {
    expect(isAccepted({ upstreamMark })).toBe(UPSTREAM_MARK.parse(upstreamMark) !== undefined);
  });

  it.each(['0', '1', '60', '3600', '3601', '1.5', '-1', 'x'])('settleSeconds %j', (settleSeconds) => {
    expect(isAccepted({ settleSeconds })).toBe(SETTLE_SECONDS.parse(settleSeconds) !== undefined);
  });

  it.each(['users', 'domains,styleGuides', 'users,', 'Users', 'users;domains'])(
    'upstreamLookups %j',
    (upstreamLookups) => {
      expect(isAccepted({ upstreamLookups })).toBe(UPSTREAM_LOOKUPS.parse(upstreamLookups) !== undefined);
    },
  );
});

it.each<[string, Context]>([
  ['Segue', {}],
  ['Segue', { stage: 'production' }],
  ['Segue-development', { stage: 'development' }],
  ['Mine', { stage: 'development', stackName: 'Mine' }],
])('names the stack %s with %j', (name, context) => {
  expect(stackNameOf(readSettings({ service: 'hosted', ...context }))).toBe(name);
});

it.each<[RegExp, Context]>([
  [/^Choose the service/, { service: undefined }],
  [/^service must be hosted or upstream/, { service: 'other' }],
  [/^service=upstream needs upstreamUrl/, { service: 'upstream' }],
  [/leave out upstreamUrl, or set service=upstream$/, { upstreamUrl: URL }],
  [/leave out upstreamMark, or set service=upstream$/, { upstreamMark: 'segue' }],
  [/leave out settleSeconds, or set service=upstream$/, { settleSeconds: 60 }],
  [/leave out upstreamLookups, or set service=upstream$/, { upstreamLookups: 'users' }],
  [/^upstreamMark must be 1 to 32/, { service: 'upstream', upstreamUrl: URL, upstreamMark: 'a.b' }],
  [/^settleSeconds must be/, { service: 'upstream', upstreamUrl: URL, settleSeconds: '0' }],
  [
    /^service=upstream neither translates nor sends e-mails and results itself: leave out translationUrl$/,
    { service: 'upstream', upstreamUrl: URL, translationUrl: URL },
  ],
  [/^translationEngine must be one of/, { translationEngine: 'google' }],
  [/^mailFrom needs mailDomains, such as -c mailDomains=example\.com,/, { mailFrom: 'segue@example.com' }],
  [/^mailDomains needs mailFrom, such as -c mailFrom=segue@/, { mailDomains: 'example.com' }],
  [/^mailFrom must be an e-mail address$/, { mailFrom: 'Segue', mailDomains: 'example.com' }],
  [/^mailDomains must be domains/, { mailFrom: 'segue@example.com', mailDomains: 'example.com, example.org' }],
  [/^translationEngine=apertium needs translationUrl, the https URL/, { translationEngine: 'apertium' }],
  [/^translationEngine=deepl needs translationSecretArn, the ARN of/, { translationEngine: 'deepl' }],
  [/^translationUrl is for translationEngine=libretranslate/, { translationUrl: 'https://engine.example.com' }],
  [/^translationSecretArn is for translationEngine=deepl/, { translationSecretArn: SECRET_ARN }],
  [/^translationUrl must be an https URL/, { translationEngine: 'apertium', translationUrl: 'http://127.0.0.1:2737' }],
  [/^translationSecretArn must be the whole ARN/, { translationEngine: 'deepl', translationSecretArn: 'deepl-key' }],
  [/^translationCharactersPerDay must be a whole/, { translationCharactersPerDay: 'many' }],
  [/^translationPrice must be an amount and a currency/, { translationPrice: '20' }],
  [/^stage must be development or production/, { stage: 'prod' }],
  [/^accessLogs must be true or false/, { accessLogs: 'yes' }],
  [/^securityContact must be an https or mailto URL/, { securityContact: 5 }],
  [/^tls must be 1.2 or 1.3, such as/, { tls: 1.3 }],
  [/^firewall must be one of off, rate, managed, such as/, { firewall: true }],
  [/^firewallLogDays must be one of 1, 3, .* days, such as/, { firewallLogDays: '2' }],
  [/^blockedNetworks must be addresses or networks, such as/, { blockedNetworks: 'example.com' }],
  [/^domainName must be a host name/, { domainName: URL }],
  [/^domainName needs certificateArn, such as -c certificateArn=arn:/, { domainName: 'projects.example.com' }],
  [/^basePath needs domainName, such as -c domainName=projects\.example\.com$/, { basePath: 'v1' }],
  [/^basePath must be one segment/, { ...EVERY_OPTION, basePath: 'a/b' }],
  [
    /^certificateArn must be the ARN of a certificate of ACM in the region of the stack, such as -c certificateArn=arn:/,
    { certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1' },
  ],
  [
    /^encryptionKeyArn must be the ARN of a KMS key.*, such as -c encryptionKeyArn=arn:/,
    { encryptionKeyArn: 'alias/mine' },
  ],
  [
    /^alarmTopicArn must be the ARN of an SNS topic, such as -c alarmTopicArn=arn:.* set alarmEmail instead$/,
    { alarmTopicArn: 'ops@example.com' },
  ],
  [/^endpoint must be regional or private, such as -c endpoint=private$/, { endpoint: 'edge' }],
  [/^vpcEndpointIds must be ids, such as -c vpcEndpointIds=vpce-/, { vpcEndpointIds: 'vpc-0123456789abcdef0' }],
  [/^mtlsTruststore must be a PEM file in S3, such as -c mtlsTruststore=s3:/, { mtlsTruststore: 'truststore.pem' }],
  [/^mtlsTruststore needs domainName/, { mtlsTruststore: 's3://one-bucket/truststore.pem' }],
  [/^vpcId must be the id of a VPC, such as -c vpcId=vpc-/, { vpcId: 'main' }],
  [/^subnetIds must be ids, such as -c subnetIds=subnet-\w+,subnet-\w+$/, { subnetIds: 'vpc-0123456789abcdef0' }],
  [/^securityGroupIds must be ids/, { securityGroupIds: 'default' }],
  [/^vpcId needs subnetIds, such as -c subnetIds=subnet-/, { vpcId: 'vpc-0123456789abcdef0' }],
  [/^securityGroupIds needs vpcId, such as/, { securityGroupIds: 'sg-0123456789abcdef0' }],
  [/^projectsFrom must be names/, { projectsFrom: 'one,,two' }],
  [/^projectsFrom must be names/, { projectsFrom: 'a/b' }],
  [/^rollout must be one of in-place, at-once, gradual, such as -c rollout=at-once$/, { rollout: 'slow' }],
  [/^existingTable must be a table with its stream, .*segue restore prints it/, { existingTable: 'Segue-restored' }],
  [/^existingCredentialsTable must be the name of a table/, { existingCredentialsTable: 'a/stream/b' }],
  [/^existingDeliveriesTable must be a table/, { existingDeliveriesTable: 'a/stream/yesterday' }],
  [/^existingBucket must be the name of an S3 bucket/, { existingBucket: 's3://segue-kept' }],
  [
    /^reservedConcurrency .*-c cannot pass.*"context" in cdk.json, such as "reservedConcurrency": \{ "changeProjects": 20 \}$/,
    { reservedConcurrency: '{"changeProject":20}' },
  ],
  [
    /^provisionedConcurrency .*-c cannot pass.*such as "provisionedConcurrency": \{ "changeProjects": 2 \}$/,
    { provisionedConcurrency: 'authorizer' },
  ],
  [
    /^methodRates .*"context" in cdk.json, whose rates .*, such as "methodRates": \{ "createProject": \{ "perSecond": 20, "burst": 40 \} \}$/,
    { methodRates: { createProject: 20 } },
  ],
  [
    /^methodRates must be an object under "context" in cdk.json, whose rates have/,
    { methodRates: { createProject: { perSecond: 20 } } },
  ],
  [/^upstremUrl is not a setting: did you mean upstreamUrl\?$/, { upstremUrl: '' }],
  [/^Stage is not a setting: did you mean stage\?$/, { Stage: 'development' }],
  [/^logDays is not a setting: docs\/deploy-settings.md lists all settings$/, { logDays: '7' }],
  [/^stackName must be 1 to 128/, { stackName: 'Segue_development' }],
])('fails with %s for %j', (message, context) => {
  const read = () => readSettings({ service: 'hosted', ...context });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(message);
});

describe('the region of a stack', () => {
  const hostedIn = (context: Context, region?: string) => () => readSettings({ service: 'hosted', ...context }, region);
  const { certificateArn, encryptionKeyArn, alarmTopicArn, domainName } = EVERY_OPTION;

  it.each([
    { certificateArn, domainName },
    { encryptionKeyArn },
    { alarmTopicArn },
    { translationSecretArn: SECRET_ARN, translationEngine: 'deepl' },
  ])('must be that of %j', (context) => {
    const [name] = Object.keys(context);
    expect(hostedIn(context)).not.toThrow();
    expect(hostedIn(context, 'eu-central-1')).not.toThrow();
    expect(hostedIn(context, 'us-east-1')).toThrow(SettingError);
    expect(hostedIn(context, 'us-east-1')).toThrow(`${name} is in eu-central-1, and the stack in us-east-1`);
  });

  it('is the same for all ARNs, also if it is not known', () => {
    const other = 'arn:aws:sns:us-east-1:000000000000:alarms';
    const read = hostedIn({ encryptionKeyArn, alarmTopicArn: other });
    expect(read).toThrow('encryptionKeyArn is in eu-central-1, and alarmTopicArn in us-east-1');
  });
});

it.each([
  { recoveryDays: 36 },
  { recoveryDays: -1 },
  { recoveryDays: 0.5 },
  { recoveryDays: Number.NaN },
  { startToleranceSeconds: -1 },
  { securityContact: 'security@example.com' },
  { securityContact: 'mailto:security@example.com', securityPolicy: 'http://example.com' },
  { securityPolicy: 'https://example.com' },
  { firewallLimit: 9 },
  { firewallLimit: 2_000_000_001 },
  { firewall: 'off', blockedNetworks: ['203.0.113.7'] } as const,
  { blockedNetworks: ['203.0.113.7/33'] },
  { blockedNetworks: ['203.0.113.7/0'] },
  { blockedNetworks: ['2001:db8::/129'] },
  { blockedNetworks: ['203.0.113'] },
  { blockedNetworks: ['203.0.113.7/24/1'] },
  { maxWriteRequestUnits: 999 },
  { maxWriteRequestUnits: Number.NaN },
  { monthlyBudget: 0, alarmEmail: 'ops@example.com' },
  { monthlyBudget: 0.5, alarmEmail: 'ops@example.com' },
  { monthlyBudget: 100 },
  { monthlyBudget: 100, alarmEmail: 'ops' },
  { reservedConcurrency: { changeProjects: -1 } },
  { methodRates: { createProject: { perSecond: 0, burst: 1 } } },
  { methodRates: { createProject: { perSecond: 1, burst: 1.5 } } },
  // The option names a function of the hosted service.
  { reservedConcurrency: { sweeper: 1 } },
  { memoryMb: 127 },
  { memoryMb: 10_241 },
  { memoryMb: Number.NaN },
  { memoryMb: { changeProjects: 100 } },
  { memoryMb: { sweeper: 2_048 } },
  { provisionedConcurrency: { changeProjects: 0 } },
  // Nobody waits for this function's start.
  { provisionedConcurrency: { deliveries: 1 } },
  { provisionedConcurrency: { changeProjects: 6 }, reservedConcurrency: { changeProjects: 5 } },
])('refuses the option %j', (option) => {
  expect(() => withDefaults({ ...GATEWAY, ...option })).toThrow(SettingError);
});

it('says which functions can have provisioned concurrency, and that it needs versions', () => {
  const gateway = (option: Partial<ProjectGatewayProps>) => () => withDefaults({ ...GATEWAY, ...option });
  const provisionedConcurrency = { authorizer: 1 };
  expect(gateway({ provisionedConcurrency, stage: 'development' })).toThrow(
    'provisionedConcurrency needs functions with versions: set rollout=gradual or rollout=at-once',
  );
  expect(gateway({ provisionedConcurrency, stage: 'development', rollout: 'at-once' })).not.toThrow();
  expect(gateway({ provisionedConcurrency: { reconciler: 1 } })).toThrow(
    /reconciler is no such name: the names here are changeProjects, changeTranslations, readProjects, events, tokens, receiveWebhook, pages, authorizer$/,
  );
  expect(gateway({ memoryMb: JSON.parse('{ "changeProject": 3008 }') })).toThrow(/did you mean changeProjects\?$/);
});

it.each<[string, Partial<ProjectGatewayProps>]>([
  [
    'firewallLimit needs a firewall: leave it out, or set firewall to rate or managed',
    { firewall: 'off', firewallLimit: 500 },
  ],
  [
    'firewallLogDays needs a firewall: leave it out, or set firewall to rate or managed',
    { firewall: 'off', firewallLogDays: 30 },
  ],
  ['alarmEmail needs alarms: leave it out, or set alarms to true', { alarms: false, alarmEmail: 'ops@example.com' }],
  ['alarmEmail needs alarms: leave it out, or set alarms to true', { alarms: false, alarmEmail: 'none' }],
])('refuses an option without effect: %s', (message, option) => {
  expect(() => withDefaults({ ...GATEWAY, ...option })).toThrow(new SettingError(message));
});

it('accepts an option without effect if the stage turns off what it is for', () => {
  const both = { firewallLimit: 500, alarmEmail: 'ops@example.com' };
  expect(withDefaults({ ...GATEWAY, stage: 'development', ...both })).toMatchObject(both);
  const budget = { alarms: false, alarmEmail: 'ops@example.com', monthlyBudget: 100 };
  expect(withDefaults({ ...GATEWAY, ...budget })).toMatchObject(budget);
});

describe('the notification of alarms', () => {
  const service = upstream({ url: URL });
  const topic = Topic.fromTopicArn(new Stack(), 'Topic', String(EVERY_OPTION['alarmTopicArn']));

  it.each<Partial<ProjectGatewayProps>>([{}, { stage: 'production' }, { stage: 'development', alarms: true }])(
    'must be chosen for %j',
    (options) => {
      const message =
        'Choose whom alarms notify: alarmEmail, such as -c alarmEmail=ops@example.com, or an SNS topic, such as -c alarmTopicArn=arn:aws:sns:eu-central-1:123456789012:segue-alarms (alarmTopic in your own app). If nobody is to be notified, set alarmEmail to none';
      expect(() => withDefaults({ service, ...options })).toThrow(new SettingError(message));
      expect(withDefaults({ service, ...options, alarmEmail: 'ops@example.com' }).alarmEmail).toBe('ops@example.com');
      expect(withDefaults({ service, ...options, alarmTopic: topic }).alarmTopic).toBe(topic);
      expect(withDefaults({ service, ...options, alarmEmail: 'none' }).alarmEmail).toBeUndefined();
    },
  );

  it.each<Partial<ProjectGatewayProps>>([{ stage: 'development' }, { alarms: false }])(
    'is not needed for %j',
    (options) => {
      expect(withDefaults({ service, ...options }).alarms).toBe(false);
    },
  );

  it('cannot be nobody and a topic, nor nobody and warned of a budget', () => {
    expect(() => withDefaults({ ...GATEWAY, alarmTopic: topic })).toThrow(
      'alarmEmail is none, and there is a topic for alarms: leave out one of them',
    );
    expect(() => withDefaults({ ...GATEWAY, monthlyBudget: 100 })).toThrow('monthlyBudget needs alarmEmail');
  });
});

it('says what a gateway without a service lacks', () => {
  const props: ProjectGatewayProps = JSON.parse('{}');
  expect(() => withDefaults(props)).toThrow(new SettingError('service must be hosted() or upstream({ url })'));
});

it('refuses a setting beside the context of cdk.json, where the CDK would ignore it', () => {
  expect(() => checkCdkJson('{ "app": "node infra/app.ts", "memoryMb": 2048 }')).toThrow(
    new SettingError('memoryMb must be under "context" in cdk.json, where the CDK reads settings'),
  );
  expect(() => checkCdkJson('{ "app": "node infra/app.ts", "context": { "memoryMb": 2048 } }')).not.toThrow();
});

it('suggests the operation that a misspelt rate means', () => {
  const methodRates: object = { createProjects: { perSecond: 1, burst: 1 } };
  const misspelt = () => withDefaults({ ...GATEWAY, ...{ methodRates } });
  expect(misspelt).toThrow('createProjects is not an operation: did you mean createProject?');
});

it.each<[unknown, unknown]>([
  ['3008', 3_008],
  [3_008, 3_008],
  [{ changeProjects: 3_008 }, { changeProjects: 3_008 }],
])('reads memoryMb %j', (memoryMb, read) => {
  expect(readSettings({ service: 'hosted', memoryMb }).memoryMb).toEqual(read);
});

describe('a synthesis', () => {
  const target = { CDK_DEFAULT_ACCOUNT: '000000000000', CDK_DEFAULT_REGION: 'us-east-1' };

  it.each([
    [{ upstreamUrl: 'ftp://nowhere' }, /^upstreamUrl, the url of upstream\(\), must be an https URL .*$/],
    [{ service: 'hosted', reservedConcurrency: { nobody: 1 } }, /^reservedConcurrency must map function names .*$/],
    [
      { service: 'hosted', alarmTopicArn: EVERY_OPTION['alarmTopicArn'] },
      /^alarmTopicArn is in eu-central-1, and the stack in us-east-1.*$/,
    ],
  ])('fails with one line for %j', async (context, message) => {
    for (const [name, value] of Object.entries(target)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const failure = await withApp(addSegueStack, context).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SettingError);
    expect(String(Object(failure).message)).toMatch(message);
  });

  it('prints this line alone, and exits with 1', async () => {
    const env = childEnvironment({ ...target, CDK_CONTEXT_JSON: JSON.stringify({ service: 'hosted' }) });
    const synthesis = promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: ROOT, env });
    const stderr = expect.stringMatching(/^Choose whom alarms notify: [^\n]*\n$/);
    await expect(synthesis).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  });
});
