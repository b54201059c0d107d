import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { FunctionAccess, FunctionSetting } from '../functions/function-spec.ts';
import { functionOptions, type GatewayOptions, hasDeliveries, switchedOff } from '../options.ts';
import {
  createManifestBucket,
  createPayloadBucket,
  grantManifests,
  grantPayloads,
  grantProjectsFrom,
} from './buckets.ts';
import { grantCredentials } from './credentials.ts';
import { type Grant, keyStatements, variablesOf } from './grant.ts';
import { grantMail } from './mail.ts';
import { createJobQueue, type JobQueue } from './queues.ts';
import {
  createCanarySecret,
  createSigningSecret,
  createUpstreamSecret,
  grantRotation,
  grantSecret,
  grantSecrets,
  secretsPrefix,
} from './secrets.ts';
import { createCredentialsTable, createDeliveriesTable, createMainTable, grantTable } from './tables.ts';
import { grantTaskTokens } from './task-tokens.ts';
import { grantTranslation } from './translation.ts';

/** The tables, buckets, secrets and queues of a gateway, and its event bus. */
export class Stores extends Construct {
  readonly table: ITable;
  /** The companies with their API keys and the state of their tokens. */
  readonly credentialsTable: ITable;
  /** Defined if `hasDeliveries` says so. */
  readonly deliveriesTable: ITable | undefined;
  /** The manifests and results of bulk runs. Defined with the option `bulk` only. */
  readonly manifests: Bucket | undefined;
  /** The payloads of large projects. Defined for the hosted service only. */
  readonly bucket: IBucket | undefined;
  readonly signingSecret: Secret;
  /** The credentials at the upstream service. Defined for an upstream service only. */
  readonly upstreamSecret: Secret | undefined;
  /** The key of the canary. Defined with the option `canary` only. */
  readonly canarySecret: Secret | undefined;
  /** Defined with the option `webhooks` only. */
  readonly webhookSecretsPrefix: string | undefined;
  /** Defined with the option `webhooks` only. */
  readonly fetchSecretsPrefix: string | undefined;
  /** Defined with the option `events` only. */
  readonly eventSecretsPrefix: string | undefined;
  /** Defined with the option `destinations` only. */
  readonly destinationSecretsPrefix: string | undefined;
  /** Defined with the option `events` only. */
  readonly eventBus: EventBus | undefined;
  /** The queue of jobs. Defined for the hosted service only. */
  readonly jobs: JobQueue | undefined;
  readonly #options: GatewayOptions;

  constructor(scope: Construct, id: string, options: GatewayOptions) {
    super(scope, id);
    this.#options = options;
    const isHosted = options.service.name === 'hosted';
    const has = functionOptions(options);
    this.table = options.existingTable ?? createMainTable(this, options);
    this.credentialsTable = options.existingCredentialsTable ?? createCredentialsTable(this, options);
    this.deliveriesTable = hasDeliveries(options)
      ? (options.existingDeliveriesTable ?? createDeliveriesTable(this, options))
      : undefined;
    this.manifests = has.includes('bulk') ? createManifestBucket(this, options) : undefined;
    this.bucket = isHosted ? (options.existingBucket ?? createPayloadBucket(this, options)) : undefined;
    this.signingSecret = createSigningSecret(this, options);
    this.upstreamSecret = isHosted ? undefined : createUpstreamSecret(this, options);
    this.canarySecret = options.canary === undefined ? undefined : createCanarySecret(this, options);
    this.webhookSecretsPrefix = has.includes('webhooks') ? secretsPrefix(scope, 'webhooks') : undefined;
    this.fetchSecretsPrefix = has.includes('webhooks') ? secretsPrefix(scope, 'fetches') : undefined;
    this.eventSecretsPrefix = has.includes('events') ? secretsPrefix(scope, 'events') : undefined;
    this.destinationSecretsPrefix = has.includes('destinations') ? secretsPrefix(scope, 'destinations') : undefined;
    this.jobs = isHosted ? createJobQueue(this, options) : undefined;
    this.eventBus = has.includes('events')
      ? new EventBus(this, 'Bus', {
          description: 'Events of the projects of Segue',
          ...(options.encryptionKey && { kmsKey: options.encryptionKey }),
        })
      : undefined;
  }

  /** Returns the grants that give a function its access, with the environment variables of its settings. */
  grantsFor(access: FunctionAccess): Grant[] {
    const { bucket, deliveriesTable, manifests, signingSecret, eventBus, jobs } = this;
    const { projectsFrom = [] } = this.#options;
    const grants: Grant[] = [];
    if (access.table) grants.push(grantTable(this.table, access.table, 'SEGUE_TABLE'));
    if (access.credentials) grants.push(grantCredentials(this.credentialsTable, access.credentials));
    if (access.deliveriesTable && deliveriesTable) {
      grants.push(grantTable(deliveriesTable, access.deliveriesTable, 'SEGUE_DELIVERIES_TABLE'));
    }
    if (access.payloads && bucket) grants.push(grantPayloads(bucket, access.payloads));
    if (access.manifests && manifests) grants.push(grantManifests(manifests, access.manifests));
    if (access.projectsFrom) grants.push(...projectsFrom.map(grantProjectsFrom));
    if (access.signingSecret === 'rotate') grants.push(grantRotation(signingSecret));
    if (access.signingSecret === 'read') {
      grants.push(grantSecret(signingSecret, { SEGUE_SIGNING_SECRET: signingSecret.secretArn }));
    }
    if (access.canarySecret) grants.push(this.#grantCanary());
    if (access.upstreamSecret) grants.push(this.#grantUpstream());
    if (access.webhookSecrets && this.webhookSecretsPrefix !== undefined) {
      grants.push(grantSecrets(this, this.webhookSecretsPrefix, 'SEGUE_WEBHOOK_SECRETS', this.#options));
    }
    if (access.fetchSecrets && this.fetchSecretsPrefix !== undefined) {
      grants.push(grantSecrets(this, this.fetchSecretsPrefix, 'SEGUE_FETCH_SECRETS', this.#options));
    }
    if (access.eventSecrets && this.eventSecretsPrefix !== undefined) {
      grants.push(
        grantSecrets(this, this.eventSecretsPrefix, 'SEGUE_EVENT_SECRETS', this.#options, access.eventSecrets),
      );
    }
    if (access.destinationSecrets && this.destinationSecretsPrefix !== undefined) {
      grants.push(grantSecrets(this, this.destinationSecretsPrefix, 'SEGUE_DESTINATION_SECRETS', this.#options));
    }
    if (access.eventBus && eventBus) {
      const statement = new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBus.eventBusArn] });
      grants.push({ statements: [statement], environment: { SEGUE_EVENT_BUS: eventBus.eventBusName } });
    }
    if (access.jobQueue && jobs) {
      const statement = new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [jobs.queue.queueArn] });
      const statements = [statement, ...keyStatements(jobs.queue.encryptionMasterKey, 'sqs', 'send')];
      grants.push({ statements, environment: { SEGUE_JOB_QUEUE: jobs.queue.queueUrl } });
    }
    if (access.translation) grants.push(grantTranslation(this.#options, access.translation));
    if (access.taskTokens) grants.push(grantTaskTokens());
    if (access.mail) grants.push(grantMail(this, this.#options));
    for (const name of access.settings ?? []) grants.push({ statements: [], environment: this.#variableOf(name) });
    return grants;
  }

  #grantCanary(): Grant {
    const { canary } = this.#options;
    if (!this.canarySecret || canary === undefined) throw new RangeError('The gateway has no canary');
    return grantSecret(this.canarySecret, { SEGUE_CANARY: canary, SEGUE_CANARY_SECRET: this.canarySecret.secretArn });
  }

  #grantUpstream(): Grant {
    const { service } = this.#options;
    if (!this.upstreamSecret || service.name !== 'upstream') throw new RangeError('The hosted service has no upstream');
    const { url, mark, settleSeconds, lookups } = service;
    return grantSecret(this.upstreamSecret, {
      SEGUE_UPSTREAM_URL: url,
      SEGUE_UPSTREAM_SECRET: this.upstreamSecret.secretArn,
      ...variablesOf({
        SEGUE_UPSTREAM_MARK: mark,
        SEGUE_SETTLE_SECONDS: settleSeconds,
        SEGUE_UPSTREAM_LOOKUPS: lookups?.join(',') || undefined,
      }),
    });
  }

  #variableOf(setting: FunctionSetting): Record<string, string> {
    const { rate, recoveryDays, startToleranceSeconds, securityContact, securityPolicy } = this.#options;
    switch (setting) {
      case 'destinations':
        return { SEGUE_DESTINATIONS: 'on' };
      case 'rate':
        return { SEGUE_RATE: `${rate.perSecond}:${rate.burst}` };
      case 'recoveryDays':
        return variablesOf({ SEGUE_RECOVERY_DAYS: recoveryDays || undefined });
      case 'securityContact':
        return variablesOf({ SEGUE_SECURITY_CONTACT: securityContact, SEGUE_SECURITY_POLICY: securityPolicy });
      case 'startToleranceSeconds':
        return variablesOf({ SEGUE_START_TOLERANCE_SECONDS: startToleranceSeconds });
      case 'switchedOff':
        return variablesOf({ SEGUE_SWITCHED_OFF: switchedOff(this.#options).join(',') || undefined });
      case 'translationCharactersPerDay': {
        const { service } = this.#options;
        const charactersPerDay = service.name === 'hosted' ? service.translation?.charactersPerDay : undefined;
        return variablesOf({ SEGUE_TRANSLATION_CHARACTERS_PER_DAY: charactersPerDay });
      }
    }
  }
}
