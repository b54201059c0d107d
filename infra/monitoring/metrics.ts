import { Duration, Names, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { AlarmGroup, FunctionName, ServiceName } from '../functions/catalogue.ts';
import type { DeployedFunction } from '../functions/deployed-function.ts';
import type { GatewayFunctions } from '../functions/functions.ts';
import type { Stores } from '../stores/stores.ts';

export interface GatewayMetricsProps {
  readonly service: ServiceName;
  readonly api: RestApi;
  readonly stores: Stores;
  readonly functions: GatewayFunctions;
  /** The state machines of bulk runs. */
  readonly bulkMachines: readonly StateMachine[];
}

/** These functions throw for invalid requests too, or continue with outdated secrets: their log lines tell failures apart. */
const COUNTED_IN_LOGS: readonly AlarmGroup[] = ['Authorizer', 'Tokens', 'Tasks'];
/** Log lines of a function that failed, by the function itself or by Lambda. */
const FAILED = ['{ $.level = "error" }', '?"Task timed out" ?"Runtime exited" ?"Uncaught Exception"'];

const UNUSABLE_PROBLEMS: Record<ServiceName, readonly string[]> = {
  hosted: ['unavailable', 'outcome-unknown'],
  upstream: ['unavailable', 'upstream-unavailable', 'outcome-unknown'],
};

const TABLE_OPERATIONS = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
const DELIVERY_OPERATIONS = ['GetItem', 'Query', 'TransactWriteItems'];

interface LogMetricProps {
  /** The functions whose logs are counted. */
  readonly from: readonly DeployedFunction[];
  /** Filter patterns of CloudWatch. A line counts once for each pattern that it matches. */
  readonly patterns: readonly string[];
  /** The number in each line. Default: 1. */
  readonly value?: string;
}

/** The metrics that alarms and the dashboard show, each over five minutes. Log lines are those of `lib/service/log.ts`. */
export class GatewayMetrics extends Construct {
  readonly service: ServiceName;
  readonly api: RestApi;
  readonly table: Table;
  readonly functions: GatewayFunctions;
  readonly bulkMachines: readonly StateMachine[];
  readonly #deliveriesTable: Table;
  readonly #namespace: string;
  readonly #logMetrics = new Map<string, Metric>();

  constructor(scope: Construct, id: string, { service, api, stores, functions, bulkMachines }: GatewayMetricsProps) {
    super(scope, id);
    this.service = service;
    this.api = api;
    this.table = stores.table;
    this.#deliveriesTable = stores.deliveriesTable;
    this.functions = functions;
    this.bulkMachines = bulkMachines;
    const name = Names.uniqueResourceName(this, { maxLength: 100, separator: '-' });
    this.#namespace = `Segue/${Stack.of(this).stackName}/${name}`;
  }

  /** Answers with status 500 and above, except those that the contract demands. */
  serverErrors(): IMetric {
    // counted by -1: subtracting a metric without a value would give none
    const byContract = this.#logMetric('TeamsWithoutTranslator', {
      from: [this.functions.get('changeProjects')],
      patterns: ['{ $.problem = "team-without-translator" }'],
      value: '-1',
    });
    return sum('failed', { errors: this.api.metricServerError({ statistic: Stats.SUM }), byContract });
  }

  /** Failures of the functions of a group. */
  errors(group: AlarmGroup): IMetric {
    return this.#sumOf(group, (deployed) =>
      COUNTED_IN_LOGS.includes(group)
        ? this.#logMetric(`${deployed.entry.name}Failed`, { from: [deployed], patterns: FAILED })
        : deployed.lambda.metricErrors(),
    );
  }

  /** Invocations of the functions of a group that Lambda refused. */
  throttles(group: AlarmGroup): IMetric {
    return this.#sumOf(group, ({ lambda }) => lambda.metricThrottles());
  }

  /** Requests that failed because the service, hosted or upstream, is not available. */
  serviceUnusable(): IMetric {
    const problems = UNUSABLE_PROBLEMS[this.service].map((problem) => `($.problem = "${problem}")`).join(' || ');
    return this.#logMetric('Unusable', { from: this.#projectFunctions(), patterns: [`{ ${problems} }`] });
  }

  /** Requests that the upstream service refused because of Segue's credentials. */
  upstreamLockedOut(): IMetric {
    return this.#logMetric('LockedOut', {
      from: this.#projectFunctions(),
      patterns: ['{ $.cause.name = "LockedOut" }'],
    });
  }

  /** Requests that the circuit breaker did not send to the upstream service. */
  upstreamHeldBack(): IMetric {
    return this.#logMetric('HeldBack', {
      from: this.#projectFunctions(),
      patterns: ['{ $.cause.code = "HELD_BACK" }'],
    });
  }

  /** Webhook messages that were not received because a secret or table is not available. */
  webhooksUnusable(): IMetric {
    return this.#logMetric('WebhooksUnusable', {
      from: [this.functions.get('receiveWebhook')],
      patterns: ['{ ($.problem = "unavailable") || ($.problem = "outcome-unknown") }'],
    });
  }

  invalidSignatures(): IMetric {
    return this.#logMetric('InvalidSignatures', {
      from: [this.functions.get('receiveWebhook')],
      patterns: ['{ $.problem = "invalid-signature" }'],
    });
  }

  reusedRefreshTokens(): IMetric {
    return this.#logMetric('ReusedTokens', {
      from: [this.functions.get('tokens')],
      patterns: ['{ $.operation = "refreshTokenReused" }'],
    });
  }

  /** The age of the oldest item that a background function left undone, in milliseconds. */
  oldestAgeMs(name: 'sweeper' | 'reconciler' | 'deliveries'): IMetric {
    const id = { sweeper: 'OldestSwept', reconciler: 'OldestOpen', deliveries: 'OldestDelivery' }[name];
    return this.#numberIn(id, name, 'oldestMs').with({ statistic: Stats.MAXIMUM });
  }

  /** Operations whose outcome was still unknown when their keys expired. */
  operationsGivenUp(): IMetric {
    return this.#numberIn('GivenUp', 'reconciler', 'givenUp');
  }

  /** Webhook deliveries that failed for good. */
  deadDeliveries(): IMetric {
    return this.#numberIn('DeadDeliveries', 'deliveries', 'letters').with({ statistic: Stats.MAXIMUM });
  }

  /** Projects that only one side has, as the last audit of a day found: Segue's ledger, or the upstream service. */
  strayProjects(): IMetric {
    const unowned = this.#numberIn('Unowned', 'audit', 'unowned');
    const missing = this.#numberIn('Missing', 'audit', 'missing');
    return sum('strays', { unowned, missing }, Duration.days(1));
  }

  /** How long the oldest record of a stream has waited for its function, in milliseconds. */
  streamAgeMs(name: FunctionName): IMetric {
    return this.functions.lambda(name).metric('IteratorAge', { statistic: Stats.MAXIMUM });
  }

  deadLetters(name: FunctionName, trigger: 'stream' | 'schedule'): IMetric {
    return this.functions.deadLetters(name, trigger).metricApproximateNumberOfMessagesVisible();
  }

  failedBulkRuns(): IMetric {
    const metrics = this.bulkMachines.map((machine, index) => [`failed${index}`, machine.metricFailed()] as const);
    return sum('bulk runs failed', Object.fromEntries(metrics));
  }

  tableThrottles(): IMetric {
    const metricsOf = (table: Table, id: string) => ({
      [`${id}Reads`]: table.metric('ReadThrottleEvents', { statistic: Stats.SUM }),
      [`${id}Writes`]: table.metric('WriteThrottleEvents', { statistic: Stats.SUM }),
    });
    return sum('throttled', { ...metricsOf(this.table, 'table'), ...metricsOf(this.#deliveriesTable, 'deliveries') });
  }

  tableErrors(): IMetric {
    const metricsOf = (table: Table, id: string, operations: readonly string[]) =>
      operations.map((Operation) => {
        const dimensionsMap = { TableName: table.tableName, Operation };
        return [`${id}${Operation}`, table.metric('SystemErrors', { statistic: Stats.SUM, dimensionsMap })] as const;
      });
    const metrics = [
      ...metricsOf(this.table, 'table', TABLE_OPERATIONS),
      ...metricsOf(this.#deliveriesTable, 'deliveries', DELIVERY_OPERATIONS),
    ];
    return sum('table failed', Object.fromEntries(metrics));
  }

  #projectFunctions(): DeployedFunction[] {
    return (['ChangeProjects', 'ReadProjects', 'Tasks'] as const).flatMap((group) => this.functions.inGroup(group));
  }

  #sumOf(group: AlarmGroup, metricOf: (deployed: DeployedFunction) => Metric): IMetric {
    const metrics = this.functions.inGroup(group).map((deployed) => [deployed.entry.name, metricOf(deployed)] as const);
    return sum(group, Object.fromEntries(metrics));
  }

  /** The number in a field of a background function's log line. */
  #numberIn(id: string, name: FunctionName, field: string): Metric {
    return this.#logMetric(id, {
      from: [this.functions.get(name)],
      patterns: [`{ $.${field} >= 0 }`],
      value: `$.${field}`,
    });
  }

  /** Returns the metric of an id. The first call creates its filters. */
  #logMetric(id: string, { from, patterns, value = '1' }: LogMetricProps): Metric {
    const known = this.#logMetrics.get(id);
    if (known) return known;
    from.forEach(({ logGroup }, log) => {
      patterns.forEach((pattern, index) => {
        new MetricFilter(this, `${id}Filter${log}-${index}`, {
          logGroup,
          filterPattern: FilterPattern.literal(pattern),
          metricNamespace: this.#namespace,
          metricName: id,
          metricValue: value,
        });
      });
    });
    const metric = new Metric({ namespace: this.#namespace, metricName: id, statistic: Stats.SUM });
    this.#logMetrics.set(id, metric);
    return metric;
  }
}

/** The sum of the metrics that have a value. @param label unique on a page of the console */
function sum(label: string, metrics: Readonly<Record<string, IMetric>>, period = Duration.minutes(5)): IMetric {
  const expression = `SUM([${Object.keys(metrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics: { ...metrics }, label, period });
}
