import { Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { Api } from './api/api.ts';
import type { FunctionName } from './functions/catalogue.ts';
import { GatewayFunctions } from './functions/functions.ts';
import { createAlarms } from './monitoring/alarms.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { GatewayMetrics } from './monitoring/metrics.ts';
import { type ProjectGatewayProps, withDefaults } from './options.ts';
import { addOutputs } from './outputs.ts';
import { allowServices } from './stores/key-policy.ts';
import { scheduleRotation } from './stores/secrets.ts';
import { Stores } from './stores/stores.ts';
import { BulkProjects } from './workflow/bulk.ts';

/** A complete Segue: API, functions, stores, event bus, alarms and dashboard. */
export class ProjectGateway extends Construct {
  readonly api: Api;
  readonly table: Table;
  /** The bucket for payloads of large projects. Defined for the hosted service only. */
  readonly bucket: Bucket | undefined;
  /** The bucket for manifests and results of bulk runs. */
  readonly manifests: Bucket;
  /** The event bus on which Segue publishes the events of projects. */
  readonly eventBus: EventBus;
  /**
   * The secret for the credentials at the upstream service, which the operator fills in. Defined for an upstream
   * service only.
   */
  readonly upstreamSecret: Secret | undefined;
  readonly #functions: GatewayFunctions;

  /** Creates the gateway with all its resources. @throws {SettingError} if an option is invalid */
  constructor(scope: Construct, id: string, props: ProjectGatewayProps) {
    super(scope, id);
    const options = withDefaults(props);
    if (options.encryptionKey) allowServices(options.encryptionKey, Stack.of(this));
    const stores = new Stores(this, 'Stores', options);
    const functions = new GatewayFunctions(this, stores, options);
    scheduleRotation(this, stores.signingSecret, functions.lambda('rotateSigningKeys'));
    this.#functions = functions;
    this.api = new Api(this, 'Api', functions, options);
    this.table = stores.table;
    this.bucket = stores.bucket;
    this.manifests = stores.manifests;
    this.eventBus = stores.eventBus;
    this.upstreamSecret = stores.upstreamSecret;

    const { bulkCompanies = [], alarms: hasAlarms, alarmTopic, dashboard } = options;
    const bulk = bulkCompanies.map(
      (companyId) => new BulkProjects(this, `Bulk-${companyId}`, { gateway: this, companyId }),
    );
    addOutputs(this, { options, stores, functions, api: this.api, bulk });
    if (!hasAlarms && !dashboard) return;
    const metrics = new GatewayMetrics(this, 'Metrics', {
      service: options.service.name,
      api: this.api.rest,
      stores,
      functions,
      bulkMachines: bulk.map(({ machine }) => machine),
    });
    const alarms = hasAlarms ? createAlarms(new Construct(this, 'Alarms'), metrics, alarmTopic) : [];
    if (dashboard) createDashboard(this, metrics, alarms);
  }

  /** Returns a function of the gateway. @throws {RangeError} if the gateway's service has no such function */
  functionOf(name: FunctionName): LambdaFunction {
    return this.#functions.lambda(name);
  }
}
