import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import { type FunctionName, functionsOf } from './functions/catalogue.ts';
import { STAGES, type StageName, type StageSettings } from './stages.ts';

/** A setting with an invalid value. Its message is one line for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** The service behind the API: `hosted` is Segue's own, `upstream` is another one at its base URL. */
export type Service = { readonly name: 'hosted' } | UpstreamService;

export interface UpstreamService {
  readonly name: 'upstream';
  /** https, without a trailing slash. */
  readonly url: string;
  /** The prefix of custom ids at the service. Default: `segue`. */
  readonly mark?: string | undefined;
  /** How long the service may take to show a change, in seconds. Default: 60. */
  readonly settleSeconds?: number | undefined;
}

/** A custom domain, which replaces the API's own host name. */
export interface CustomDomain {
  readonly name: string;
  /** In the region of the stack. */
  readonly certificate: ICertificate;
  /** The path of the API below the domain, without slashes. Default: none. */
  readonly basePath?: string;
}

/** The options of a gateway. An option of `StageSettings` overrides the default of the stage. */
export interface ProjectGatewayProps extends Partial<StageSettings> {
  readonly service: Service;
  /** Default: `production`. */
  readonly stage?: StageName;
  readonly domain?: CustomDomain;
  /** Put AWS WAF with Amazon's managed rules in front of the API. Default: no. */
  readonly firewall?: boolean;
  /** A KMS key for tables, buckets and secrets. Default: keys that AWS manages. */
  readonly encryptionKey?: IKey;
  /** Reserved concurrency by function. Default: the account's unreserved concurrency. */
  readonly reservedConcurrency?: Partial<Record<FunctionName, number>>;
  /** Receives the alarms. Default: none. */
  readonly alarmTopic?: ITopic;
  /** The companies that get a state machine for manifests. */
  readonly bulkCompanies?: readonly string[];
  /** How far a start date may be from the current time, in seconds. Default: 300. */
  readonly startToleranceSeconds?: number;
  /** The buckets of projects that workflows create by reference. */
  readonly projectsFrom?: readonly IBucket[];
}

/** The options with the defaults of their stage. */
export interface GatewayOptions extends Omit<ProjectGatewayProps, keyof StageSettings>, StageSettings {}

/** Selects the service that Segue contains. */
export function hosted(): Service {
  return { name: 'hosted' };
}

/**
 * Selects another service, whose credentials the operator writes into a secret.
 * @throws {SettingError} if the base URL is invalid or not https, or if mark or time are invalid
 */
export function upstream({ url, mark, settleSeconds }: Omit<UpstreamService, 'name'>): UpstreamService {
  // Basic credentials must not travel unencrypted
  const baseUrl = readBaseUrl(url, { protocols: ['https'] });
  if (!baseUrl) {
    throw new SettingError(
      'upstreamUrl must be an https URL without credentials, query or fragment, such as -c upstreamUrl=https://projects.example.com/api',
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
 * Adds the defaults of the stage to the options.
 * @throws {SettingError} if an option is invalid
 */
export function withDefaults({ stage = 'production', ...props }: ProjectGatewayProps): GatewayOptions {
  const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  const options: GatewayOptions = { ...STAGES[stage], ...given, service: props.service };
  const { recoveryDays, startToleranceSeconds, reservedConcurrency = {} } = options;
  requireWhole(recoveryDays, [0, 35], 'recoveryDays must be a whole number of days from 1 to 35, or 0 for none');
  requireWhole(
    startToleranceSeconds,
    [0, 999_999],
    'startToleranceSeconds must be a whole number of seconds from 0 to 999999',
  );
  const names = functionsOf(options.service.name).map(({ name }) => name);
  for (const [name, count] of Object.entries(reservedConcurrency)) {
    const isKnown = names.some((known) => known === name);
    const message = `reservedConcurrency has whole numbers by the names of functions, which are ${names.join(', ')}`;
    requireWhole(isKnown ? count : Number.NaN, [0, Number.MAX_SAFE_INTEGER], message);
  }
  return options;
}

function requireWhole(value: number | undefined, [min, max]: readonly [number, number], message: string): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || value < min || value > max) throw new SettingError(message);
}
