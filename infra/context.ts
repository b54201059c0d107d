import * as z from 'zod/mini';
import { COMPANY_ID } from '../lib/contract/basic-credentials.ts';
import { CANARY_MODES } from '../lib/contract/canary.ts';
import { LOOKUP_NAMES, UPSTREAM_LOOKUPS } from '../lib/contract/lookups.ts';
import { nearest } from '../lib/contract/nearest.ts';
import { SECURITY_CONTACT, SECURITY_POLICY, TRANSLATION_ENGINES } from '../lib/contract/settings.ts';
import { ENDPOINTS } from './api/endpoint-options.ts';
import { SERVICES } from './functions/function-spec.ts';
import { TLS_VERSIONS } from './options.ts';
import { hosted, LOOKUPS_FORM, type Service, upstream } from './services.ts';
import { SettingError } from './setting-error.ts';
import { FIREWALLS, LOG_DAYS, ROLLOUTS } from './stages.ts';

function text(pattern: RegExp, message: string) {
  return z.optional(z.string(message).check(z.regex(pattern, message)));
}

/**
 * A whole number: text from the command line, or a number from `cdk.json`. Other text becomes NaN. `withDefaults` and
 * `upstream` check the range, and refuse NaN.
 */
const WHOLE_NUMBER = z.pipe(
  z.coerce.string(),
  z.transform((digits: string) => (/^\d+$/.test(digits) ? Number(digits) : Number.NaN)),
);

function wholeNumber() {
  return z.optional(WHOLE_NUMBER);
}

/** Returns the schema of a list: texts separated by commas. Duplicates are dropped. */
function list(pattern: RegExp, message: string) {
  const split = z.transform((names: string) => [...new Set(names.split(','))]);
  return z.optional(z.pipe(z.pipe(z.string(message), split), z.array(z.string().check(z.regex(pattern, message)))));
}

/** Returns the schema of the days that a log is kept. */
function logDays(name: string) {
  const find = z.transform((days: string) => LOG_DAYS.find((each) => String(each) === days));
  const message = `${name} must be one of ${LOG_DAYS.join(', ')} days, such as -c ${name}=30`;
  return z.optional(z.pipe(z.pipe(z.coerce.string(), find), z.literal([...LOG_DAYS], message)));
}

function yesOrNo(name: string) {
  const message = `${name} must be true or false, such as -c ${name}=true`;
  return z.optional(
    z.pipe(
      z.union([z.boolean(), z.literal(['true', 'false'])], message),
      z.transform((value) => value === true || value === 'true'),
    ),
  );
}

/** Returns the schema of a list of ids of EC2. */
function idsOf(name: string, prefix: string) {
  const example = ['0123456789abcdef0', '0fedcba9876543210'].map((id) => `${prefix}-${id}`).join(',');
  return list(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `${name} must be ids, such as -c ${name}=${example}`);
}

/** Returns the schema of numbers by function name. */
function numbers(name: string, example: number) {
  const message = `${name} must be an object of numbers, which -c cannot pass: write it under "context" in cdk.json, such as "${name}": { "changeProjects": ${example} }`;
  return z.optional(z.record(z.string(), z.number(), message));
}

/** A table and the label of its stream. */
export interface StreamedTable {
  readonly tableName: string;
  readonly streamLabel: string;
}

/** Matches a table and the label of its stream, as at the end of the ARN of a stream. */
const STREAMED_TABLE = /^([\w.-]{3,255})\/stream\/(\d{4}-\d\d-\d\dT[\d:.]{8,18})$/;

/** Returns the schema of a setting that names an existing table and its stream. */
function streamedTable(name: string) {
  const message = `${name} must be a table with its stream, such as -c ${name}=Segue-restored/stream/2026-11-20T09:30:00.000. The command segue restore prints it: see docs/restore.md`;
  const parse = z.transform((value: string): StreamedTable => {
    const [, tableName = '', streamLabel = ''] = STREAMED_TABLE.exec(value) ?? [];
    return { tableName, streamLabel };
  });
  return z.optional(z.pipe(z.string(message).check(z.regex(STREAMED_TABLE, message)), parse));
}

/** The truststore of mutual TLS, in S3. */
export interface Truststore {
  readonly bucketName: string;
  readonly key: string;
  readonly version?: string;
}

const TRUSTSTORE =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w!.*'()/-]{1,1024})(?:\?versionId=([\w.-]{1,1024}))?$/;
const TRUSTSTORE_FORM =
  'mtlsTruststore must be a PEM file in S3, such as -c mtlsTruststore=s3://one-bucket/truststore.pem, with ?versionId=<version> for one version of it';

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const RATES_FORM =
  'methodRates must be an object under "context" in cdk.json, whose rates have the two numbers perSecond and burst, such as "methodRates": { "createProject": { "perSecond": 20, "burst": 40 } }';

/** Returns the schema of one of some names. @param example the name in the error message */
function choice<const T extends readonly string[]>(name: string, names: T, example: T[number]) {
  const listed = names.length === 2 ? names.join(' or ') : `one of ${names.join(', ')}`;
  return z.optional(z.enum(names, `${name} must be ${listed}, such as -c ${name}=${example}`));
}

/** The service, and the settings that only an upstream service has. */
const UpstreamContext = z.object({
  service: choice('service', SERVICES, 'hosted'),
  upstreamUrl: z.optional(z.string('upstreamUrl must be a URL')),
  upstreamMark: z.optional(z.string('upstreamMark must be a text')),
  settleSeconds: wholeNumber(),
  upstreamLookups: z.optional(
    z.pipe(
      z.pipe(z.string(LOOKUPS_FORM), z.transform(UPSTREAM_LOOKUPS.parse)),
      z.array(z.enum(LOOKUP_NAMES), LOOKUPS_FORM),
    ),
  ),
});
type UpstreamContext = z.infer<typeof UpstreamContext>;

/** The settings that only the hosted service has. */
const HostedContext = z.object({
  translationEngine: choice('translationEngine', TRANSLATION_ENGINES, 'deepl'),
  translationUrl: z.optional(z.string('translationUrl must be a URL')),
  translationSecretArn: text(
    /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
    'translationSecretArn must be the whole ARN of a secret in Secrets Manager',
  ),
  translationCharactersPerDay: wholeNumber(),
  translationPrice: z.optional(z.string('translationPrice must be a text')),
  mailFrom: z.optional(z.string('mailFrom must be an e-mail address')),
  mailDomains: z.optional(z.string('mailDomains must be domains with commas between them')),
  destinations: yesOrNo('destinations'),
});
type HostedContext = z.infer<typeof HostedContext>;

/** All other settings. */
const Context = z.object({
  stage: choice('stage', ['development', 'production'], 'development'),
  stackName: text(
    /^[A-Za-z][A-Za-z0-9-]{0,127}$/,
    'stackName must be 1 to 128 letters, digits and "-" after a letter, such as -c stackName=Segue-trial',
  ),
  domainName: text(
    /^(?=.{1,253}$)([a-z0-9-]{1,63}\.)+[a-z]{2,63}$/,
    'domainName must be a host name in lower-case letters, such as -c domainName=projects.example.com',
  ),
  certificateArn: text(
    /^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'certificateArn must be the ARN of a certificate of ACM in the region of the stack, such as -c certificateArn=arn:aws:acm:eu-central-1:123456789012:certificate/12345678-1234-1234-1234-123456789012',
  ),
  mtlsTruststore: z.optional(
    z.pipe(
      z.string(TRUSTSTORE_FORM).check(z.regex(TRUSTSTORE, TRUSTSTORE_FORM)),
      z.transform((value: string): Truststore => {
        const [, bucketName = '', key = '', version] = TRUSTSTORE.exec(value) ?? [];
        return { bucketName, key, ...(version !== undefined && { version }) };
      }),
    ),
  ),
  endpoint: choice('endpoint', ENDPOINTS, 'private'),
  vpcEndpointIds: idsOf('vpcEndpointIds', 'vpce'),
  basePath: text(/^[\w.-]{1,64}$/, 'basePath must be one segment of a path without slashes, such as -c basePath=v1'),
  encryptionKeyArn: text(
    /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/(mrk-[0-9a-f]{32}|[0-9a-f-]{36})$/,
    'encryptionKeyArn must be the ARN of a KMS key, not an alias, such as -c encryptionKeyArn=arn:aws:kms:eu-central-1:123456789012:key/12345678-1234-1234-1234-123456789012',
  ),
  alarmTopicArn: text(
    /^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]+$/,
    'alarmTopicArn must be the ARN of an SNS topic, such as -c alarmTopicArn=arn:aws:sns:eu-central-1:123456789012:segue-alarms. To get e-mails, set alarmEmail instead',
  ),
  alarmEmail: z.optional(z.string('alarmEmail must be an e-mail address, or none')),
  monthlyBudget: wholeNumber(),
  maxWriteRequestUnits: wholeNumber(),
  recoveryDays: wholeNumber(),
  startToleranceSeconds: wholeNumber(),
  projectsFrom: list(
    BUCKET_NAME,
    'projectsFrom must be names of S3 buckets, such as -c projectsFrom=one-bucket,another-bucket',
  ),
  existingTable: streamedTable('existingTable'),
  existingCredentialsTable: text(
    /^[\w.-]{3,255}$/,
    'existingCredentialsTable must be the name of a table, such as -c existingCredentialsTable=Segue-credentials',
  ),
  existingDeliveriesTable: streamedTable('existingDeliveriesTable'),
  existingBucket: text(
    BUCKET_NAME,
    'existingBucket must be the name of an S3 bucket, such as -c existingBucket=one-bucket',
  ),
  bulkCompanies: list(COMPANY_ID, 'bulkCompanies must be ids of companies, such as -c bulkCompanies=acme,example'),
  accessLogs: yesOrNo('accessLogs'),
  alarms: yesOrNo('alarms'),
  dashboard: yesOrNo('dashboard'),
  securityContact: z.optional(z.string(`securityContact must be ${SECURITY_CONTACT.rule}`)),
  securityPolicy: z.optional(z.string(`securityPolicy must be ${SECURITY_POLICY.rule}`)),
  tls: z.optional(z.enum(TLS_VERSIONS, 'tls must be 1.2 or 1.3, such as -c tls=1.3. In cdk.json it is a text: "1.3"')),
  firewall: choice('firewall', FIREWALLS, 'managed'),
  firewallLimit: wholeNumber(),
  firewallLogDays: logDays('firewallLogDays'),
  blockedNetworks: list(
    /^[\da-fA-F.:/]+$/,
    'blockedNetworks must be addresses or networks, such as -c blockedNetworks=203.0.113.7,2001:db8::/32',
  ),
  console: yesOrNo('console'),
  agents: yesOrNo('agents'),
  waits: yesOrNo('waits'),
  webhooks: yesOrNo('webhooks'),
  bulk: yesOrNo('bulk'),
  events: yesOrNo('events'),
  fipsEndpoints: yesOrNo('fipsEndpoints'),
  rollout: choice('rollout', ROLLOUTS, 'at-once'),
  methodRates: z.optional(
    z.record(
      z.string(),
      z.strictObject({ perSecond: z.number(RATES_FORM), burst: z.number(RATES_FORM) }, RATES_FORM),
      RATES_FORM,
    ),
  ),
  vpcId: text(/^vpc-[0-9a-f]{8,17}$/, 'vpcId must be the id of a VPC, such as -c vpcId=vpc-0123456789abcdef0'),
  subnetIds: idsOf('subnetIds', 'subnet'),
  securityGroupIds: idsOf('securityGroupIds', 'sg'),
  canary: choice('canary', CANARY_MODES, 'reads'),
  memoryMb: z.optional(z.union([z.record(z.string(), z.number()), WHOLE_NUMBER])),
  reservedConcurrency: numbers('reservedConcurrency', 20),
  provisionedConcurrency: numbers('provisionedConcurrency', 2),
});

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = [UpstreamContext, HostedContext, Context].flatMap(({ shape }) =>
  Object.keys(shape),
);

/**
 * Checks that no setting stands beside `context` in `cdk.json`, where the CDK ignores it.
 * @throws {SettingError} if one does
 */
export function checkCdkJson(text: string): void {
  const misplaced = Object.keys(Object(JSON.parse(text))).find((name) => SETTING_NAMES.includes(name));
  if (misplaced !== undefined) {
    throw new SettingError(`${misplaced} must be under "context" in cdk.json, where the CDK reads settings`);
  }
}

/** The settings of a deployment, parsed. */
export interface Settings extends z.infer<typeof Context> {
  readonly service: Service;
}

/**
 * Reads the settings of a deployment from the CDK context: from `cdk.json`, or from `-c name=value`.
 * @param context the whole context, with the CDK's own settings
 * @param region the region to which the stack will be deployed, if it is known
 * @throws {SettingError} if a setting is unknown, invalid or missing, or names a resource in another region
 */
export function readSettings(context: Readonly<Record<string, unknown>>, region?: string): Settings {
  refuseUnknown(Object.keys(context));
  const ofUpstream = parse(UpstreamContext, context);
  const ofHosted = parse(HostedContext, context);
  const settings = parse(Context, context);
  requireOneRegion({ ...ofUpstream, ...ofHosted, ...settings }, region);
  if (settings.mtlsTruststore && settings.domainName === undefined) {
    throw new SettingError(
      'mtlsTruststore needs domainName and certificateArn: API Gateway has mutual TLS at domains only',
    );
  }
  requireTogether(settings, DOMAIN, ['basePath']);
  requireTogether(settings, NETWORK, ['securityGroupIds']);
  requireTogether(ofHosted, MAIL);
  return { service: serviceOf(ofUpstream, ofHosted), ...settings };
}

/** @throws {SettingError} that says what is wrong with the first invalid setting */
function parse<T>(schema: z.ZodMiniType<T>, context: unknown): T {
  const { success, data, error } = schema.safeParse(context);
  if (success) return data;
  throw new SettingError(error.issues[0]?.message ?? 'The settings cannot be read');
}

/** Settings that need each other, with examples. */
const DOMAIN = {
  domainName: 'projects.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:000000000000:certificate/00000000-0000-0000-0000-000000000000',
};
const NETWORK = { vpcId: 'vpc-0123456789abcdef0', subnetIds: 'subnet-0123456789abcdef0,subnet-0fedcba9876543210' };
const MAIL = { mailFrom: 'segue@example.com', mailDomains: 'example.com,example.org' };

/**
 * Throws a `SettingError` if some of these settings are set and others are missing.
 * @param users the settings that need all of them
 */
function requireTogether(
  settings: Readonly<Record<string, unknown>>,
  examples: Readonly<Record<string, string>>,
  users: readonly string[] = [],
): void {
  const names = Object.keys(examples);
  const user = [...names, ...users].find((name) => settings[name] !== undefined);
  const missing = names.find((name) => settings[name] === undefined);
  if (user === undefined || missing === undefined) return;
  throw new SettingError(`${user} needs ${missing}, such as -c ${missing}=${examples[missing]}`);
}

/** Throws a `SettingError` if the ARNs in the settings and the stack are not all in one region. */
function requireOneRegion(settings: Readonly<Record<string, unknown>>, region: string | undefined): void {
  const arns = Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'string' && name.endsWith('Arn') ? [[name, value.split(':')[3]] as const] : [],
  );
  const [expectedBy, expected] = region === undefined ? (arns.at(-1) ?? []) : (['the stack', region] as const);
  for (const [name, found] of arns) {
    if (found === expected) continue;
    throw new SettingError(
      `${name} is in ${found}, and ${expectedBy} in ${expected}: a stack uses resources of its own region only`,
    );
  }
}

function serviceOf({ service, ...context }: UpstreamContext, ofHosted: HostedContext): Service {
  const { upstreamUrl, upstreamMark: mark, settleSeconds, upstreamLookups: lookups } = context;
  const [misplaced] = namesIn(context);
  if (service === 'hosted' && misplaced !== undefined) {
    throw new SettingError(`service=hosted has no upstream service: leave out ${misplaced}, or set service=upstream`);
  }
  if (service === 'hosted') return hosted(hostedOptions(ofHosted));
  if (service === undefined && upstreamUrl === undefined) {
    throw new SettingError(
      'Choose the service: -c service=hosted for Segue’s own, or -c upstreamUrl=https://projects.example.com/api for another one',
    );
  }
  if (upstreamUrl === undefined) {
    throw new SettingError(
      'service=upstream needs upstreamUrl, such as -c upstreamUrl=https://projects.example.com/api',
    );
  }
  const [onlyHosted] = namesIn(ofHosted);
  if (onlyHosted !== undefined) {
    throw new SettingError(
      `service=upstream neither translates nor sends e-mails and results itself: leave out ${onlyHosted}`,
    );
  }
  return upstream({ url: upstreamUrl, mark, settleSeconds, lookups });
}

function hostedOptions({
  mailFrom,
  mailDomains,
  destinations,
  ...context
}: HostedContext): Parameters<typeof hosted>[0] {
  const translation = {
    engine: context.translationEngine,
    url: context.translationUrl,
    secretArn: context.translationSecretArn,
    charactersPerDay: context.translationCharactersPerDay,
    price: context.translationPrice,
  };
  return {
    ...(namesIn(context).length > 0 && { translation }),
    ...(mailFrom !== undefined && { mail: { from: mailFrom, domains: (mailDomains ?? '').split(',') } }),
    ...(destinations && { destinations }),
  };
}

/** Returns the names of the settings that are set. */
function namesIn(context: Partial<UpstreamContext> | Partial<HostedContext>): string[] {
  return Object.entries(context).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** Throws a `SettingError` for an unknown setting: a misspelt `stage` would otherwise deploy production. */
function refuseUnknown(names: readonly string[]): void {
  for (const name of names) {
    // The names of the CDK's own settings contain a colon or a hyphen.
    if (SETTING_NAMES.includes(name) || !/^\w+$/.test(name)) continue;
    const [similar] = nearest(name, SETTING_NAMES, 1);
    const hint = similar === undefined ? 'docs/deploy-settings.md lists all settings' : `did you mean ${similar}?`;
    throw new SettingError(`${name} is not a setting: ${hint}`);
  }
}

/** Returns the name of the stack. The default differs by stage, so that one stage never replaces another. */
export function stackNameOf({ stackName, stage = 'production' }: Settings): string {
  return stackName ?? (stage === 'production' ? 'Segue' : `Segue-${stage}`);
}
