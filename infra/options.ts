import type { MTLSConfig } from 'aws-cdk-lib/aws-apigateway';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { CanaryMode } from '../lib/contract/canary.ts';
import type { Rate } from '../lib/contract/settings.ts';
import { SWITCHES, type Switch } from '../lib/contract/switches.ts';
import type { EndpointOptions } from './api/endpoint-options.ts';
import type { ServedOperation } from './api/method-rates.ts';
import type { FunctionCapacity } from './functions/capacity.ts';
import { FUNCTION_OPTIONS, type FunctionOption } from './functions/function-spec.ts';
import type { NetworkOptions } from './functions/network-options.ts';
import type { Service } from './services.ts';
import type { StageName, StageSettings } from './stages.ts';

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
  /** Whether the API answers agents at `/mcp`, over the Model Context Protocol. Default: no. */
  readonly agents?: boolean;
  /**
   * What the canary does every five minutes: `reads` uses the API of a company without changing anything, and `create`
   * also creates a project and deletes it. In front of an upstream service, that is a real project. Default: no canary.
   */
  readonly canary?: CanaryMode | undefined;
  /** Whether workflows can wait for projects with `WaitForProjectTask`. Default: no. */
  readonly waits?: boolean;
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
   * of the budget. A gateway with alarms needs it or `alarmTopic`, or `none`: then nobody is notified of alarms.
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
export interface GatewayOptions extends Omit<ProjectGatewayProps, keyof StageSettings>, StageSettings {
  readonly stage: StageName;
}

/** Returns the options of a gateway on which functions depend. */
export function functionOptions({
  service,
  console = false,
  agents = false,
  canary,
  waits = false,
  webhooks = true,
  bulk = true,
  events = true,
}: Pick<GatewayOptions, 'service' | 'console' | 'agents' | 'canary' | 'waits' | Switch>): FunctionOption[] {
  const has = {
    mail: service.name === 'hosted' && service.mail !== undefined,
    destinations: service.name === 'hosted' && service.destinations === true,
    console,
    agents,
    canary: canary !== undefined,
    waits,
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
