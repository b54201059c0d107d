import { Stack } from 'aws-cdk-lib';
import type {
  Alarm,
  Dashboard,
  MathExpression,
  MathExpressionOptions,
  Metric,
  MetricOptions,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { type EventBus, type OnEventOptions, Rule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { Api } from './api/api.ts';
import { withDefaults } from './defaults.ts';
import { AliasDeployments } from './functions/alias-deployments.ts';
import type { FunctionName } from './functions/catalogue.ts';
import { GatewayFunctions } from './functions/functions.ts';
import { createAlarms } from './monitoring/alarms.ts';
import { createBudget } from './monitoring/budget.ts';
import { watchApi } from './monitoring/canary.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { GatewayMetrics } from './monitoring/metrics.ts';
import { createQueries } from './monitoring/queries.ts';
import { createRollbackAlarm } from './monitoring/rollback-alarm.ts';
import { alarmTopic } from './monitoring/topic.ts';
import type { ProjectGatewayProps } from './options.ts';
import { addOutputs } from './outputs.ts';
import { SettingError } from './setting-error.ts';
import { guardStage } from './stage-guard.ts';
import { allowServices } from './stores/key-policy.ts';
import { grantReadResults, grantWriteManifests } from './stores/manifest-grants.ts';
import { scheduleRotation } from './stores/secrets.ts';
import { Stores } from './stores/stores.ts';
import type { BulkProjects } from './workflow/bulk.ts';
import { createBulkLog, createBulkMachines } from './workflow/bulk-stack.ts';

/**
 * A complete Segue: API, functions, stores, event bus, alarms and dashboard. A property is undefined if an option has
 * switched off what it names, or the service has no such thing.
 */
export class ProjectGateway extends Construct {
  readonly api: Api;
  readonly table: ITable;
  /** The table of companies, API keys and the state of tokens. */
  readonly credentialsTable: ITable;
  /** The table of webhook messages and of events to send. Undefined without `webhooks`, and without events to send. */
  readonly deliveriesTable: ITable | undefined;
  /** The bucket for payloads of large projects. Defined for the hosted service only. */
  readonly bucket: IBucket | undefined;
  /** The bucket for manifests and results of bulk runs. Undefined if `bulk` is off. */
  readonly manifests: Bucket | undefined;
  /** The log of all bulk runs, which has their failures. Undefined if `bulk` is off. */
  readonly bulkLog: LogGroup | undefined;
  /** The bulk runs of the companies in `bulkCompanies`, by company id. Their state machine is `machine`. */
  readonly bulkProjects: ReadonlyMap<string, BulkProjects>;
  /** The event bus on which Segue publishes the events of projects. Undefined if `events` is off. */
  readonly eventBus: EventBus | undefined;
  /** The secret with the keys that sign access tokens. Whoever reads it can act for every company. */
  readonly signingSecret: Secret;
  /**
   * The secret for the credentials at the upstream service, which the operator fills in. Defined for an upstream
   * service only.
   */
  readonly upstreamSecret: Secret | undefined;
  /** The secret with the key of the canary. Undefined without `canary`. */
  readonly canarySecret: Secret | undefined;
  /** The queue of what streams gave up. A message names its function and the error. */
  readonly deadLetterQueue: Queue;
  /** The queue of jobs. Defined for the hosted service only. */
  readonly jobQueue: Queue | undefined;
  /** The queue of jobs that failed again and again. Defined for the hosted service only. */
  readonly jobDeadLetterQueue: Queue | undefined;
  /** The alarms by their names in docs/alarms.md, such as `ServerErrors`. Empty if `alarms` is off. */
  readonly alarms: ReadonlyMap<string, Alarm>;
  /** The topic that alarms notify. Undefined if `alarms` is off, and if nobody is notified. */
  readonly alarmTopic: ITopic | undefined;
  /** The alarm that ends a gradual rollout. Undefined if `rollout` is `in-place`. */
  readonly rollbackAlarm: Alarm | undefined;
  /** Undefined if `dashboard` is off. */
  readonly dashboard: Dashboard | undefined;
  /** The security groups of the functions in the VPC, so that their server can admit them. Empty without `vpc`. */
  readonly securityGroups: readonly ISecurityGroup[];
  readonly #functions: GatewayFunctions;
  readonly #metrics: GatewayMetrics;

  /** Creates the gateway with all its resources. @throws {SettingError} if an option is invalid */
  constructor(scope: Construct, id: string, props: ProjectGatewayProps) {
    super(scope, id);
    const options = withDefaults(props);
    guardStage(this, options.stage);
    if (options.encryptionKey) allowServices(options.encryptionKey, Stack.of(this));
    const stores = new Stores(this, 'Stores', options);
    const functions = new GatewayFunctions(this, stores, options);
    scheduleRotation(this, stores.signingSecret, functions.lambda('rotateSigningKeys'));
    this.#functions = functions;
    this.securityGroups = functions.network?.securityGroups ?? [];
    this.api = new Api(this, 'Api', functions, options);
    if (options.canary !== undefined) watchApi(this, functions, this.api, options);
    this.table = stores.table;
    this.credentialsTable = stores.credentialsTable;
    this.deliveriesTable = stores.deliveriesTable;
    this.bucket = stores.bucket;
    this.manifests = stores.manifests;
    this.bulkLog = this.manifests && createBulkLog(this, options);
    this.eventBus = stores.eventBus;
    this.signingSecret = stores.signingSecret;
    this.upstreamSecret = stores.upstreamSecret;
    this.canarySecret = stores.canarySecret;
    this.deadLetterQueue = functions.letters;
    this.jobQueue = stores.jobs?.queue;
    this.jobDeadLetterQueue = stores.jobs?.deadLetters;

    const { bulkCompanies = [], alarms: hasAlarms, dashboard, rollout, monthlyBudget, alarmEmail } = options;
    if (monthlyBudget !== undefined && alarmEmail !== undefined) createBudget(this, monthlyBudget, alarmEmail);
    const bulk = createBulkMachines(this, bulkCompanies);
    this.bulkProjects = new Map(bulk.map((each) => [each.companyId, each]));
    addOutputs(this, { options, stores, functions, api: this.api, bulk });
    createQueries(this, functions, this.api);
    const metrics = new GatewayMetrics(this, 'Metrics', {
      service: options.service.name,
      api: this.api,
      stores,
      functions,
      hasWriteLimit: options.maxWriteRequestUnits !== undefined,
      bulkLog: this.bulkLog,
    });
    this.#metrics = metrics;
    this.alarmTopic = hasAlarms ? alarmTopic(this, options) : undefined;
    this.alarms = hasAlarms ? createAlarms(new Construct(this, 'Alarms'), metrics, this.alarmTopic) : new Map();
    this.dashboard = dashboard ? createDashboard(this, metrics, [...this.alarms.values()]) : undefined;
    if (rollout !== 'in-place') {
      const alarm = createRollbackAlarm(this, metrics);
      new AliasDeployments(this, 'AliasDeployments', { functions: functions.all(), alarm, rollout });
      this.rollbackAlarm = alarm;
    }
  }

  /** The names of the functions that the gateway has. */
  get functionNames(): readonly FunctionName[] {
    return this.#functions.all().map(({ entry }) => entry.name);
  }

  /**
   * Returns a function of the gateway, for its callers. A function behind the API with versions is the alias of the newest
   * one.
   * @throws {RangeError} if the gateway has no such function
   */
  functionOf(name: FunctionName): IFunction {
    return this.#functions.live(name);
  }

  /** Returns the log of a function, which it shares with others. @throws {RangeError} if the gateway has no such function */
  logGroupOf(name: FunctionName): LogGroup {
    return this.#functions.get(name).logGroup;
  }

  /** Allows calling the task that creates a project, from Step Functions or from other code. */
  grantCreateProject(grantee: IGrantable): Grant {
    return this.functionOf('createProjectTask').grantInvokeLatestVersion(grantee);
  }

  /** Allows calling the task that puts a project, from Step Functions or from other code. */
  grantPutProject(grantee: IGrantable): Grant {
    return this.functionOf('putProjectTask').grantInvokeLatestVersion(grantee);
  }

  /** Allows calling the task that deletes a project or a task of it. */
  grantDeleteProject(grantee: IGrantable): Grant {
    return this.functionOf('deleteProjectTask').grantInvokeLatestVersion(grantee);
  }

  /** Allows calling the task that reads the progress of a project. */
  grantReadProgress(grantee: IGrantable): Grant {
    return this.functionOf('getProgressTask').grantInvokeLatestVersion(grantee);
  }

  /** Allows calling the task that waits for a project. @throws {RangeError} if `waits` is off */
  grantWaitForProject(grantee: IGrantable): Grant {
    return this.functionOf('waitForProjectTask').grantInvokeLatestVersion(grantee);
  }

  /**
   * Allows writing manifests for bulk runs.
   * @param companyId whose manifests. Default: those of all companies
   * @throws {SettingError} if `bulk` is off, or the id is no id of a company
   */
  grantWriteManifests(grantee: IGrantable, companyId?: string): Grant {
    return grantWriteManifests(this.#manifestsFor('grantWriteManifests'), grantee, companyId);
  }

  /**
   * Allows reading the results of bulk runs.
   * @param companyId whose results. Default: those of all companies
   * @throws {SettingError} if `bulk` is off, or the id is no id of a company
   */
  grantReadResults(grantee: IGrantable, companyId?: string): Grant {
    return grantReadResults(this.#manifestsFor('grantReadResults'), grantee, companyId);
  }

  /** Allows reading the credentials at the upstream service. @throws {SettingError} if the service is `hosted` */
  grantReadUpstreamSecret(grantee: IGrantable): Grant {
    return this.#upstreamSecretFor('grantReadUpstreamSecret').grantRead(grantee);
  }

  /** Allows replacing the credentials at the upstream service. @throws {SettingError} if the service is `hosted` */
  grantWriteUpstreamSecret(grantee: IGrantable): Grant {
    return this.#upstreamSecretFor('grantWriteUpstreamSecret').grantWrite(grantee);
  }

  /**
   * Listens to the events of projects. The pattern of `options` selects some of them, such as
   * `{ detailType: ['project.created'] }`.
   * @throws {SettingError} if `events` is off
   */
  onEvent(id: string, { target, eventPattern, ...options }: OnEventOptions = {}): Rule {
    if (!this.eventBus) throw new SettingError('onEvent needs a gateway whose option events is not false');
    const rule = new Rule(this, id, {
      ...options,
      eventBus: this.eventBus,
      eventPattern: { ...eventPattern, source: ['segue'] },
    });
    if (target) rule.addTarget(target);
    return rule;
  }

  /** Returns a metric of the API by the name that Amazon API Gateway gives it, such as `IntegrationLatency`. */
  metric(metricName: string, props?: MetricOptions): Metric {
    return this.api.rest.metric(metricName, props);
  }

  /** Returns the metric of requests. Default: their number in five minutes. */
  metricRequests(props: MetricOptions = {}): Metric {
    return this.#metrics.requests().with(props);
  }

  /** Returns the metric of answers with status 400 to 499. Default: their sum in five minutes. */
  metricClientErrors(props: MetricOptions = {}): Metric {
    return this.#metrics.clientErrors().with(props);
  }

  /**
   * Returns the metric of answers with status 500 and above, without those that the contract demands, over five minutes.
   * It adds metric filters to the stack.
   */
  metricServerErrors(props: MathExpressionOptions = {}): MathExpression {
    return this.#metrics.serverErrors().with(props);
  }

  /** Returns the metric of the time until an answer. Default: that of 95 % of the requests in five minutes. */
  metricLatency(props: MetricOptions = {}): Metric {
    return this.#metrics.latencyMs().with(props);
  }

  /**
   * Returns the metric of requests above a rate, answered with 429. Default: their sum in five minutes. It is a metric of
   * the access log, and costs as much as a custom metric.
   * @throws {SettingError} if `accessLogs` is off
   */
  metricThrottledRequests(props: MetricOptions = {}): Metric {
    const metric = this.#metrics.throttledRequests();
    if (metric) return metric.with(props);
    throw new SettingError('metricThrottledRequests needs a gateway whose option accessLogs is on');
  }

  /** Returns the metric of the messages in all dead-letter queues, over five minutes. */
  metricDeadLetters(props: MathExpressionOptions = {}): MathExpression {
    return this.#metrics.deadLetters().with(props);
  }

  /**
   * Returns the metric of the reads and writes that DynamoDB throttled, over five minutes, without the writes above
   * `maxWriteRequestUnits`.
   */
  metricTableThrottles(props: MathExpressionOptions = {}): MathExpression {
    return this.#metrics.tableThrottles().with(props);
  }

  /** Returns the metric of how much of the account's concurrency is claimed, in percent, over five minutes. */
  metricClaimedConcurrency(props: MathExpressionOptions = {}): MathExpression {
    return this.#metrics.claimedConcurrency().with(props);
  }

  #manifestsFor(method: string): Bucket {
    if (this.manifests) return this.manifests;
    throw new SettingError(`${method} needs a gateway whose option bulk is not false`);
  }

  #upstreamSecretFor(method: string): Secret {
    if (this.upstreamSecret) return this.upstreamSecret;
    throw new SettingError(`${method} needs a gateway with an upstream service`);
  }
}
