import { Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { Api } from './api/api.ts';
import type { FunctionName } from './functions/catalogue.ts';
import { GatewayFunctions } from './functions/functions.ts';
import { GradualRollout } from './functions/gradual-rollout.ts';
import { createAlarms } from './monitoring/alarms.ts';
import { createBudget } from './monitoring/budget.ts';
import { watchApi } from './monitoring/canary.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { GatewayMetrics } from './monitoring/metrics.ts';
import { createQueries } from './monitoring/queries.ts';
import { createRollbackAlarm } from './monitoring/rollback-alarm.ts';
import { alarmTopic } from './monitoring/topic.ts';
import { type ProjectGatewayProps, withDefaults } from './options.ts';
import { addOutputs } from './outputs.ts';
import { allowServices } from './stores/key-policy.ts';
import { scheduleRotation } from './stores/secrets.ts';
import { Stores } from './stores/stores.ts';
import { createBulkLog, createBulkMachines } from './workflow/bulk-stack.ts';

/** A complete Segue: API, functions, stores, event bus, alarms and dashboard. */
export class ProjectGateway extends Construct {
  readonly api: Api;
  readonly table: ITable;
  /** The bucket for payloads of large projects. Defined for the hosted service only. */
  readonly bucket: IBucket | undefined;
  /** The bucket for manifests and results of bulk runs. */
  readonly manifests: Bucket;
  /** The log of all bulk runs, which has their failures. */
  readonly bulkLog: LogGroup;
  /** The event bus on which Segue publishes the events of projects. */
  readonly eventBus: EventBus;
  /**
   * The secret for the credentials at the upstream service, which the operator fills in. Defined for an upstream
   * service only.
   */
  readonly upstreamSecret: Secret | undefined;
  /** The security groups of the functions in the VPC, so that their server can admit them. Empty without `vpc`. */
  readonly securityGroups: readonly ISecurityGroup[];
  readonly #functions: GatewayFunctions;

  /** Creates the gateway with all its resources. @throws {SettingError} if an option is invalid */
  constructor(scope: Construct, id: string, props: ProjectGatewayProps) {
    super(scope, id);
    const options = withDefaults(props);
    if (options.encryptionKey) allowServices(options.encryptionKey, Stack.of(this));
    const stores = new Stores(this, 'Stores', options);
    const functions = new GatewayFunctions(this, stores, options);
    scheduleRotation(this, stores.signingSecret, functions.live('rotateSigningKeys'));
    this.#functions = functions;
    this.securityGroups = functions.network?.securityGroups ?? [];
    this.api = new Api(this, 'Api', functions, options);
    if (options.canary !== undefined) watchApi(this, functions, this.api, options);
    this.table = stores.table;
    this.bucket = stores.bucket;
    this.manifests = stores.manifests;
    this.bulkLog = createBulkLog(this, options);
    this.eventBus = stores.eventBus;
    this.upstreamSecret = stores.upstreamSecret;

    const { bulkCompanies = [], alarms: hasAlarms, dashboard, rollout, monthlyBudget, alarmEmail } = options;
    if (monthlyBudget !== undefined && alarmEmail !== undefined) createBudget(this, monthlyBudget, alarmEmail);
    const bulk = createBulkMachines(this, bulkCompanies);
    addOutputs(this, { options, stores, functions, api: this.api, bulk });
    createQueries(this, functions, this.api);
    const isGradual = rollout === 'gradual';
    if (!hasAlarms && !dashboard && !isGradual) return;
    const metrics = new GatewayMetrics(this, 'Metrics', {
      service: options.service.name,
      api: this.api.rest,
      stores,
      functions,
      bulkLog: this.bulkLog,
    });
    const alarms = hasAlarms ? createAlarms(new Construct(this, 'Alarms'), metrics, alarmTopic(this, options)) : [];
    if (dashboard) createDashboard(this, metrics, alarms);
    if (isGradual) {
      new GradualRollout(this, 'GradualRollout', {
        functions: functions.all(),
        alarm: createRollbackAlarm(this, metrics),
      });
    }
  }

  /**
   * Returns a function of the gateway, for its callers: with versions, it is the alias of the newest one.
   * @throws {RangeError} if the gateway's service has no such function
   */
  functionOf(name: FunctionName): IFunction {
    return this.#functions.live(name);
  }
}
