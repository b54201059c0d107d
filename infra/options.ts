import type { MTLSConfig } from 'aws-cdk-lib/aws-apigateway';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import type { CanaryMode } from '../lib/contract/canary.ts';
import { nearest } from '../lib/contract/nearest.ts';
import {
  SECURITY_CONTACT,
  SECURITY_CONTACT_RULE,
  SECURITY_POLICY,
  SECURITY_POLICY_RULE,
} from '../lib/contract/security-contact.ts';
import { SWITCHES, type Switch } from '../lib/contract/switches.ts';
import { checkEndpoint, type EndpointOptions } from './api/endpoint-options.ts';
import { SERVED_OPERATIONS, type ServedOperation } from './api/method-rates.ts';
import { readNetwork } from './api/network.ts';
import { checkCapacity, type FunctionCapacity } from './functions/capacity.ts';
import { FUNCTION_OPTIONS, type FunctionOption, functionsOf } from './functions/catalogue.ts';
import { checkNetwork, type NetworkOptions } from './functions/network-options.ts';
import { requireWhole, SettingError } from './setting-error.ts';
import { LOG_DAYS, type Rate, STAGES, type StageName, type StageSettings } from './stages.ts';

export { SettingError };

/**
 * The project service that handles the API's requests: `hosted` is Segue's own, `upstream` is another service at a base
 * URL.
 */
export type Service = HostedService | UpstreamService;

/** The translation engines that a stack can use. With `none`, nothing is translated automatically. */
export const ENGINES = ['pseudo', 'libretranslate', 'deepl', 'apertium', 'amazon', 'none'] as const;

/** How the hosted service translates automatically. */
export interface TranslationOptions {
  /** The translation engine. Default: `amazon`, which is Amazon Translate. */
  readonly engine?: (typeof ENGINES)[number] | undefined;
  /** The base URL of the engine's server: https. `libretranslate` and `apertium` need it. */
  readonly url?: string | undefined;
  /** The ARN of the secret with the engine's API key: `{ "key" }`. `deepl` needs it. */
  readonly secretArn?: string | undefined;
  /** How many characters each company may have translated in a day. Default: no limit. */
  readonly charactersPerDay?: number | undefined;
}

/** How the hosted service sends e-mails to the members of managed projects: with Amazon SES. */
export interface MailOptions {
  /** The address of the sender. Amazon SES must know it as an identity of the account. */
  readonly from: string;
  /** The domains to which e-mails may go. */
  readonly domains: readonly string[];
}

export interface HostedService {
  readonly name: 'hosted';
  readonly translation?: TranslationOptions;
  /** Default: no e-mails. */
  readonly mail?: MailOptions;
}

export interface UpstreamService {
  readonly name: 'upstream';
  /** The service's base URL: https, without a trailing slash. */
  readonly url: string;
  /** The prefix that Segue adds to custom ids at the upstream service. Default: `segue`. */
  readonly mark?: string | undefined;
  /** How long a change may take until reads at the upstream service show it, in seconds. Default: 60. */
  readonly settleSeconds?: number | undefined;
}

/** A custom domain for the API. The API's own host name then no longer works. */
export interface CustomDomain {
  readonly name: string;
  /** The certificate for the domain, in the region of the stack. */
  readonly certificate: ICertificate;
  /** The path of the API below the domain, without slashes. Default: no path. */
  readonly basePath?: string;
  /**
   * The truststore for mutual TLS: a PEM file in S3 with the authorities whose client certificates API Gateway accepts.
   * Default: callers need no certificate.
   */
  readonly mtls?: MTLSConfig;
}

/** The versions of TLS that can be the oldest one. */
export const TLS_VERSIONS = ['1.2', '1.3'] as const;
export type TlsVersion = (typeof TLS_VERSIONS)[number];

/** The options of a gateway. An option of `StageSettings` overrides the stage's default. */
export interface ProjectGatewayProps extends Partial<StageSettings>, FunctionCapacity, NetworkOptions, EndpointOptions {
  readonly service: Service;
  /** The stage, which decides the defaults of `StageSettings`. Default: `production`. */
  readonly stage?: StageName;
  readonly domain?: CustomDomain;
  /** To whom security reports go: an https or mailto URL. The API shows it in `/.well-known/security.txt`. Default: none. */
  readonly securityContact?: string;
  /** The URL of the policy for security reports: https. Default: none. */
  readonly securityPolicy?: string;
  /** The oldest version of TLS that the API accepts. `1.3` excludes mutual TLS. Default: `1.2`. */
  readonly tls?: TlsVersion;
  /**
   * Whether the functions call AWS at endpoints with cryptography according to FIPS 140. Only some regions have them.
   * Default: no.
   */
  readonly fipsEndpoints?: boolean;
  /** The networks whose requests the firewall refuses, as CIDR or single addresses. Default: none. */
  readonly blockedNetworks?: readonly string[];
  /** Whether the API serves the console at `/console`. Default: no. */
  readonly console?: boolean;
  /**
   * What the canary does every five minutes: `reads` uses the API of a company without changing anything, and `create`
   * also creates a project and deletes it. In front of an upstream service, that is a real project. Default: no canary.
   */
  readonly canary?: CanaryMode | undefined;
  /**
   * Whether the API receives messages of webhook sources. Without it, the gateway has no route, functions and secrets
   * for them. Default: yes.
   */
  readonly webhooks?: boolean;
  /**
   * Whether companies can run manifests. Without it, the gateway has no bucket, functions and log for them. Default:
   * yes.
   */
  readonly bulk?: boolean;
  /**
   * Whether partners and other resources learn of changes of projects: from the feed, the event bus, and with the hosted
   * service from requests to the `eventUrl` of a project. Default: yes.
   */
  readonly events?: boolean;
  /**
   * The KMS key that encrypts tables, buckets, secrets, logs, queues, the event bus and the topic of
   * `alarmEmail`. The gateway adds what it needs to the policy of a key of the same app. The policy of an imported key
   * must allow it already. Default: keys that AWS manages.
   */
  readonly encryptionKey?: IKey;
  /**
   * The limits on the requests for single operations, for all callers together. They replace those in `METHOD_RATES`.
   * Requests above a limit get 429, and nothing was done.
   */
  readonly methodRates?: Readonly<Partial<Record<ServedOperation, Rate>>>;
  /** The SNS topic that is notified of alarms. Default: a new one for `alarmEmail`. */
  readonly alarmTopic?: ITopic;
  /**
   * The e-mail address of the operator. It is notified of alarms, as a subscription of the topic, and gets the warnings
   * of the budget. Without it and `alarmTopic`, nobody is notified of alarms.
   */
  readonly alarmEmail?: string | undefined;
  /**
   * The amount in US dollars that the AWS account may cost in a month. At 80 % of it, and when AWS forecasts more than
   * that amount, AWS Budgets warns `alarmEmail`. Default: no budget.
   */
  readonly monthlyBudget?: number;
  /**
   * How many write request units the main table takes in a second, and the table of deliveries as many. DynamoDB
   * throttles further writes, and Segue answers 503. Default: only the quotas of the account.
   */
  readonly maxWriteRequestUnits?: number;
  /** The ids of companies that can run manifests. Each gets its own state machine. */
  readonly bulkCompanies?: readonly string[];
  /** How far a project's start date may be from the current time, in seconds. Default: 300. */
  readonly startToleranceSeconds?: number;
  /** The buckets from whose objects workflows may create projects. */
  readonly projectsFrom?: readonly IBucket[];
  /** A restored or kept table with a stream of keys, which is used as the main table. Default: a new table. */
  readonly existingTable?: ITable;
  /** A restored or kept table, which is used as the table of credentials. Default: a new table. */
  readonly existingCredentialsTable?: ITable;
  /** A kept table with a stream of keys, which is used as the table of deliveries. Default: a new table. */
  readonly existingDeliveriesTable?: ITable;
  /** A kept bucket, which is used for the payloads of large projects. Default: a new bucket. */
  readonly existingBucket?: IBucket;
}

/** The options of a gateway, with the defaults of its stage filled in. */
export interface GatewayOptions extends Omit<ProjectGatewayProps, keyof StageSettings>, StageSettings {}

/**
 * Selects Segue's own project service.
 * @throws {SettingError} if an option of the translation or of e-mail is invalid or missing
 */
export function hosted({ translation, mail }: Omit<HostedService, 'name'> = {}): Service {
  return {
    name: 'hosted',
    ...(translation && { translation: checkTranslation(translation) }),
    ...(mail && { mail: checkMail(mail) }),
  };
}

/** Returns the options of a gateway on which functions depend. */
export function functionOptions({
  service,
  console = false,
  canary,
  webhooks = true,
  bulk = true,
  events = true,
}: Pick<GatewayOptions, 'service' | 'console' | 'canary' | Switch>): FunctionOption[] {
  const has = {
    mail: service.name === 'hosted' && service.mail !== undefined,
    console,
    canary: canary !== undefined,
    webhooks,
    bulk,
    events,
  };
  return FUNCTION_OPTIONS.filter((option) => has[option]);
}

/** Returns what is switched off in a gateway. */
export function switchedOff(options: Pick<GatewayOptions, 'service' | Switch>): Switch[] {
  const has = functionOptions(options);
  return SWITCHES.filter((name) => !has.includes(name));
}

/**
 * Returns whether a gateway has the table of deliveries. It holds the messages of webhook sources, and the events that
 * the hosted service sends.
 */
export function hasDeliveries({ service, webhooks = true, events = true }: GatewayOptions): boolean {
  return webhooks || (events && service.name === 'hosted');
}

/** Returns the URL of the operator's server that functions call: the upstream service, or a translation engine. */
export function serverOf(service: Service): string | undefined {
  if (service.name === 'upstream') return service.url;
  const { engine, url } = service.translation ?? {};
  return engine === 'libretranslate' || engine === 'apertium' ? url : undefined;
}

/** Matches an e-mail address. */
const EMAIL = /^[^\s@<>,"]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/** The smallest `maxWriteRequestUnits`. To store one large webhook message takes nearly as many. */
const MIN_WRITE_UNITS = 1_000;

function checkMail({ from, domains }: MailOptions): MailOptions {
  if (!EMAIL.test(from)) throw new SettingError('mailFrom must be an e-mail address');
  const isDomain = (domain: string) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(domain);
  if (domains.length === 0 || !domains.every(isDomain)) {
    throw new SettingError(
      'mailDomains must be domains with commas between them, such as -c mailDomains=example.com,example.org',
    );
  }
  return { from, domains };
}

function checkTranslation(translation: TranslationOptions): TranslationOptions {
  const { engine, url, secretArn, charactersPerDay } = translation;
  const baseUrl = url === undefined ? undefined : readBaseUrl(url, { protocols: ['https'] });
  if (url !== undefined && !baseUrl) {
    throw new SettingError('translationUrl must be an https URL without credentials, query or fragment');
  }
  const hasServer = engine === 'libretranslate' || engine === 'apertium';
  if (hasServer && url === undefined) {
    throw new SettingError(`translationEngine=${engine} needs translationUrl, the https URL of its server`);
  }
  if (!hasServer && engine !== 'deepl' && url !== undefined) {
    throw new SettingError('translationUrl is for translationEngine=libretranslate, apertium or deepl: leave it out');
  }
  if (engine === 'deepl' && secretArn === undefined) {
    throw new SettingError('translationEngine=deepl needs translationSecretArn, the ARN of the secret with its key');
  }
  if (engine !== 'deepl' && engine !== 'libretranslate' && secretArn !== undefined) {
    throw new SettingError('translationSecretArn is for translationEngine=deepl or libretranslate: leave it out');
  }
  requireWhole(
    charactersPerDay,
    [0, 999_999_999_999],
    'translationCharactersPerDay must be a whole number of characters from 0 to 999999999999',
  );
  return { ...translation, ...(baseUrl && { url: writeBaseUrl(baseUrl) }) };
}

/**
 * Selects another project service, to which Segue passes requests on. The operator writes Segue's credentials at that
 * service into a secret.
 * @throws {SettingError} if the base URL is invalid or not https, or if `mark` or `settleSeconds` is invalid
 */
export function upstream({ url, mark, settleSeconds }: Omit<UpstreamService, 'name'>): UpstreamService {
  // Segue sends Basic credentials, which must not travel unencrypted.
  const baseUrl = readBaseUrl(url, { protocols: ['https'] });
  if (!baseUrl) {
    throw new SettingError(
      'upstreamUrl, the url of upstream(), must be an https URL without credentials, query or fragment, such as https://projects.example.com/api',
    );
  }
  if (mark !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(mark)) {
    throw new SettingError(
      'upstreamMark must be 1 to 32 letters, digits, "_" or "-" of ASCII, such as -c upstreamMark=segue',
    );
  }
  requireWhole(settleSeconds, [1, 3_600], 'settleSeconds must be a whole number of seconds from 1 to 3600');
  return { name: 'upstream', url: writeBaseUrl(baseUrl), mark, settleSeconds };
}

/**
 * Fills in the stage's default for each option that is not set.
 * @throws {SettingError} if an option is invalid
 */
export function withDefaults({ stage = 'production', ...props }: ProjectGatewayProps): GatewayOptions {
  // A program in JavaScript can leave it out.
  if (props.service === undefined) throw new SettingError('service must be hosted() or upstream({ url })');
  const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  const options: GatewayOptions = { ...STAGES[stage], ...given, service: props.service };
  const { recoveryDays, startToleranceSeconds, alarmEmail, monthlyBudget } = options;
  requireWhole(recoveryDays, [0, 35], 'recoveryDays must be a whole number of days from 1 to 35, or 0 for none');
  requireWhole(
    startToleranceSeconds,
    [0, 999_999],
    'startToleranceSeconds must be a whole number of seconds from 0 to 999999',
  );
  requireUse(props);
  checkFirewall(options);
  checkSecurityContact(options);
  for (const name of ['existingTable', 'existingDeliveriesTable'] as const) {
    if (options[name] && options[name].tableStreamArn === undefined) {
      throw new SettingError(`${name} must have the ARN of its stream: see docs/restore.md`);
    }
  }
  if (options.existingBucket && options.service.name !== 'hosted') {
    throw new SettingError('existingBucket is for service=hosted: an upstream service keeps the content itself');
  }
  if (options.existingDeliveriesTable && !hasDeliveries(options)) {
    throw new SettingError(
      'existingDeliveriesTable is for webhooks, and for the events of service=hosted: leave it out, or set webhooks to true',
    );
  }
  if (options.bulk === false && options.bulkCompanies?.length) {
    throw new SettingError('bulkCompanies needs bulk: leave out bulkCompanies, or set bulk to true');
  }
  requireWhole(
    options.maxWriteRequestUnits,
    [MIN_WRITE_UNITS, Number.MAX_SAFE_INTEGER],
    `maxWriteRequestUnits must be a whole number of units a second, from ${MIN_WRITE_UNITS} on, because one large webhook message takes nearly as many`,
  );
  requireWhole(
    monthlyBudget,
    [1, Number.MAX_SAFE_INTEGER],
    'monthlyBudget must be a whole number of US dollars, such as -c monthlyBudget=100',
  );
  if (monthlyBudget !== undefined && alarmEmail === undefined) {
    throw new SettingError('monthlyBudget needs alarmEmail, the address that gets its warnings');
  }
  if (alarmEmail !== undefined && !EMAIL.test(alarmEmail)) {
    throw new SettingError('alarmEmail must be an e-mail address, such as -c alarmEmail=ops@example.com');
  }
  requireRates(options.methodRates);
  checkEndpoint(options, { domain: options.domain !== undefined, canary: options.canary !== undefined });
  checkMutualTls(options);
  checkNetwork(options, serverOf(options.service));
  checkCapacity(options, functionsOf(options.service.name, functionOptions(options)), options.rollout);
  return options;
}

/** Refuses options without effect, because another option turns off what they are for. A stage may turn it off. */
function requireUse({
  firewall,
  firewallLimit,
  firewallLogDays,
  alarms,
  alarmEmail,
  monthlyBudget,
}: Partial<ProjectGatewayProps>): void {
  const ofFirewall = Object.entries({ firewallLimit, firewallLogDays }).find(([, value]) => value !== undefined);
  if (firewall === 'off' && ofFirewall) {
    throw new SettingError(`${ofFirewall[0]} needs a firewall: leave it out, or set firewall to rate or managed`);
  }
  if (alarms === false && alarmEmail !== undefined && monthlyBudget === undefined) {
    throw new SettingError('alarmEmail needs alarms: leave it out, or set alarms to true');
  }
}

function checkFirewall({ firewall, firewallLimit, firewallLogDays, blockedNetworks = [] }: GatewayOptions): void {
  requireWhole(
    firewallLimit,
    [10, 2_000_000_000],
    'firewallLimit must be a whole number of requests in five minutes from 10 to 2000000000',
  );
  if (!LOG_DAYS.includes(firewallLogDays)) {
    throw new SettingError(`firewallLogDays must be one of ${LOG_DAYS.join(', ')} days`);
  }
  if (blockedNetworks.some((network) => readNetwork(network) === undefined)) {
    throw new SettingError(
      'blockedNetworks must be addresses or networks, such as -c blockedNetworks=203.0.113.7,2001:db8::/32',
    );
  }
  if (blockedNetworks.length > 0 && firewall === 'off') {
    throw new SettingError('blockedNetworks needs a firewall: set firewall=rate or firewall=managed');
  }
}

function checkMutualTls({ domain, tls, canary }: GatewayOptions): void {
  if (!domain?.mtls) return;
  if (tls === '1.3') throw new SettingError('API Gateway has no mutual TLS with tls=1.3: leave out tls or mutual TLS');
  if (canary !== undefined) {
    throw new SettingError('The canary has no client certificate: leave out canary or mutual TLS');
  }
}

function checkSecurityContact({ securityContact, securityPolicy }: GatewayOptions): void {
  if (securityContact !== undefined && !SECURITY_CONTACT.test(securityContact)) {
    throw new SettingError(`securityContact must be ${SECURITY_CONTACT_RULE}`);
  }
  if (securityPolicy !== undefined && !SECURITY_POLICY.test(securityPolicy)) {
    throw new SettingError(`securityPolicy must be ${SECURITY_POLICY_RULE}`);
  }
  if (securityPolicy !== undefined && securityContact === undefined) {
    throw new SettingError('securityPolicy needs securityContact');
  }
}

/** @throws {SettingError} if an entry of `methodRates` names no operation, or is no rate */
function requireRates(rates: GatewayOptions['methodRates'] = {}): void {
  for (const [id, { perSecond, burst }] of Object.entries(rates)) {
    if (!SERVED_OPERATIONS.includes(id)) {
      const [similar] = nearest(id, SERVED_OPERATIONS, 1);
      const hint = similar === undefined ? 'docs/limits.md has some of them' : `did you mean ${similar}?`;
      throw new SettingError(`methodRates must map operations to rates. ${id} is not an operation: ${hint}`);
    }
    for (const value of [perSecond, burst]) {
      const message = `methodRates.${id} must have whole numbers from 1 on, such as { "perSecond": 20, "burst": 40 }`;
      requireWhole(value, [1, Number.MAX_SAFE_INTEGER], message);
    }
  }
}
