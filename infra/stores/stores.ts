import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { Needs } from '../functions/needs.ts';
import type { GatewayOptions } from '../options.ts';
import { grantBucket, makeBucket } from './buckets.ts';
import { grantDeliveries, makeDeliveriesTable } from './deliveries-table.ts';
import type { Grant } from './grant.ts';
import { grantManifests, makeManifests } from './manifests.ts';
import { grantProjectsFrom } from './projects-from.ts';
import { grantRotation, makeSigningSecret, makeUpstreamSecret, mayRead } from './secrets.ts';
import { grantTable, makeTable } from './tables.ts';
import { grantWebhookSecrets, webhookSecretsPrefix } from './webhook-secrets.ts';

/** What outlives a deployment, and the bus for what happens to it. */
export class Stores extends Construct {
  readonly table: Table;
  /** Of what webhooks brought. */
  readonly deliveries: Table;
  readonly signingSecret: Secret;
  readonly webhookSecretsPrefix: string;
  /** Manifests of bulk runs, where their entries are, and what became of these. */
  readonly manifests: Bucket;
  /** Of the hosted service. */
  readonly bucket?: Bucket;
  readonly bus: EventBus;
  /** In front of another service. */
  readonly upstreamSecret?: Secret;
  readonly #options: GatewayOptions;

  constructor(scope: Construct, id: string, options: GatewayOptions) {
    super(scope, id);
    this.#options = options;
    this.table = makeTable(this, options);
    this.deliveries = makeDeliveriesTable(this, options);
    this.signingSecret = makeSigningSecret(this, options);
    this.webhookSecretsPrefix = webhookSecretsPrefix(scope);
    this.manifests = makeManifests(this, options);
    this.bus = new EventBus(this, 'Bus', { description: 'What happens to the projects of Segue' });
    if (options.service.name === 'hosted') this.bucket = makeBucket(this, options);
    else this.upstreamSecret = makeUpstreamSecret(this, options);
  }

  /** What a function gets for its needs. */
  grantsFor(needs: Needs): Grant[] {
    const { table, deliveries, bucket, manifests, bus, signingSecret, upstreamSecret } = this;
    const { rate, recoveryDays, service, startToleranceSeconds, projectsFrom = [] } = this.#options;
    const grants: Grant[] = [];
    if (needs.table) grants.push(grantTable(table, needs.table, recoveryDays));
    if (needs.deliveries) grants.push(grantDeliveries(deliveries, needs.deliveries));
    if (needs.webhookSecrets) grants.push(grantWebhookSecrets(this, this.webhookSecretsPrefix, this.#options));
    if (needs.bucket && bucket) grants.push(grantBucket(bucket, needs.bucket));
    if (needs.manifests) grants.push(grantManifests(manifests, needs.manifests));
    if (needs.signingSecret === 'rotate') grants.push(grantRotation(signingSecret));
    if (needs.signingSecret === 'read') {
      const environment = { SEGUE_SIGNING_SECRET: signingSecret.secretArn };
      grants.push({ statements: mayRead(signingSecret), environment });
    }
    if (needs.upstream && upstreamSecret && service.name === 'upstream') {
      const { url, mark, settleSeconds } = service;
      const environment = {
        SEGUE_UPSTREAM_URL: url,
        SEGUE_UPSTREAM_SECRET: upstreamSecret.secretArn,
        ...(mark !== undefined && { SEGUE_UPSTREAM_MARK: mark }),
        ...(settleSeconds !== undefined && { SEGUE_SETTLE_SECONDS: String(settleSeconds) }),
      };
      grants.push({ statements: mayRead(upstreamSecret), environment });
    }
    if (needs.bus) {
      const statement = new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] });
      grants.push({ statements: [statement], environment: { SEGUE_EVENT_BUS: bus.eventBusName } });
    }
    if (needs.rate) {
      grants.push({ statements: [], environment: { SEGUE_RATE: `${rate.perSecond}:${rate.burst}` } });
    }
    if (needs.clock && startToleranceSeconds !== undefined) {
      grants.push({ statements: [], environment: { SEGUE_START_TOLERANCE_SECONDS: String(startToleranceSeconds) } });
    }
    if (needs.projectsFrom) grants.push(...projectsFrom.map(grantProjectsFrom));
    return grants;
  }
}
