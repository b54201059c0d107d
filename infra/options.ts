import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { type FunctionName, functionsOf } from './functions/catalogue.ts';
import type { Service } from './service.ts';
import { SettingError } from './setting-error.ts';
import { STAGES, type StageName, type StageSettings } from './stages.ts';

/** A domain of one's own, which the API is then reached by alone. */
export interface CustomDomain {
  readonly name: string;
  /** In the region of the stack. */
  readonly certificate: ICertificate;
  /** Where below the domain the API is, without slashes; at its root unless given. */
  readonly basePath?: string;
}

/** What a gateway is made with. A setting of the stage that is given here is taken instead of the stage's own. */
export interface ProjectGatewayProps extends Partial<StageSettings> {
  readonly service: Service;
  /** `production` unless given. */
  readonly stage?: StageName;
  readonly domain?: CustomDomain;
  /** Whether AWS WAF with Amazon's managed rules stands before the API. */
  readonly firewall?: boolean;
  /** A key of one's own for table, bucket and secrets, in place of those that AWS manages. */
  readonly encryptionKey?: IKey;
  /** How many of a function may run at once, which are then kept for it. */
  readonly reservedConcurrency?: Partial<Record<FunctionName, number>>;
  /** Where alarms go. */
  readonly alarmTopic?: ITopic;
  /** The companies that have a state machine which carries out manifests, each one of its own. */
  readonly bulkCompanies?: readonly string[];
  /** How far a start date may be from the service's time, in seconds. */
  readonly startToleranceSeconds?: number;
  /** The buckets that hold projects for workflows to create by reference. */
  readonly projectsFrom?: readonly IBucket[];
}

/** What a gateway is made with, nothing left open. */
export interface GatewayOptions extends Omit<ProjectGatewayProps, keyof StageSettings>, StageSettings {}

/** @throws {SettingError} where options do not fit together */
export function completed({ stage = 'production', ...props }: ProjectGatewayProps): GatewayOptions {
  const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  const options: GatewayOptions = { ...STAGES[stage], ...given, service: props.service };
  const { recoveryDays, reservedConcurrency = {}, service } = options;
  if (!Number.isInteger(recoveryDays) || recoveryDays < 0 || recoveryDays > 35) {
    throw new SettingError('recoveryDays must be a whole number of days from 1 to 35, or 0 for none');
  }
  const names = functionsOf({ service: service.name, platform: 'aws' }).map(({ name }) => name);
  for (const [name, count] of Object.entries(reservedConcurrency)) {
    if (!names.some((known) => known === name) || !Number.isInteger(count) || count < 0) {
      throw new SettingError(
        `reservedConcurrency has whole numbers by the names of functions, which are ${names.join(', ')}`,
      );
    }
  }
  return options;
}
