import { Duration, Names, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ALARM_GROUPS, type AlarmGroup, type FunctionName, type ServiceName } from '../functions/catalogue.ts';
import type { DeployedFunction } from '../functions/deployed-function.ts';
import type { GatewayFunctions, Trigger } from '../functions/functions.ts';
import type { Stores } from '../stores/stores.ts';

interface GatewayMetricsProps {
  readonly service: ServiceName;
  readonly api: RestApi;
  readonly stores: Stores;
  readonly functions: GatewayFunctions;
  /** The state machines of bulk runs. */
  readonly bulkMachines: readonly StateMachine[];
}

/**
 * Groups whose functions throw for invalid requests too, or go on with outdated secrets. Only the log lines of these
 * functions tell failures apart.
 */
const COUNTED_IN_LOGS: readonly AlarmGroup[] = ['Authorizer', 'Tokens', 'Tasks'];
/**
 * The filter patterns for the log lines of a failure: the first for lines of the function, the second for lines of
 * Lambda.
 */
const ENDED_BY_LAMBDA = '?"Task timed out" ?"Runtime exited" ?"Uncaught Exception"';
const FAILED = ['{ $.level = "error" }', ENDED_BY_LAMBDA];

const TABLE_OPERATIONS = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
const DELIVERY_OPERATIONS = ['GetItem', 'Query', 'TransactWriteItems'];

/** The alarm groups of the functions that call the project service. */
const PROJECTS = ['ChangeProjects', 'ReadProjects', 'Tasks'] as const;

/**
 * A metric from log lines. It counts the lines, or sums a number in them. `lib/service/log.ts` lists the fields of a
 * line.
 */
interface LogLines {
  readonly from: FunctionName | readonly AlarmGroup[];
  /** The filter pattern that selects the lines, in the syntax of CloudWatch. */
  readonly pattern: string;
  /** The value of one line: a number, or a field that holds the number. Default: 1. */
  readonly value?: string;
  /** The statistic of CloudWatch over all lines. Default: the sum. */
  readonly statistic?: string;
}

const numberIn = (from: FunctionName, field: string, statistic?: string): LogLines => ({
  from,
  pattern: `{ $.${field} >= 0 }`,
  value: `$.${field}`,
  ...(statistic !== undefined && { statistic }),
});

const LOG_METRICS = {
  /**
   * Failures that only the code of a function explains: errors that it does not expect, and functions that Lambda ended.
   * Each log needs a filter of its own. So one pattern matches both kinds as text.
   */
  Broken: {
    from: ALARM_GROUPS,
    pattern: `?"internal-error" ${ENDED_BY_LAMBDA}`,
  },
  // The value is -1 so that it can be added. A subtraction would give no value while this metric has none.
  AnswersByContract: {
    from: ['ChangeProjects'],
    pattern: '{ ($.problem = "team-without-translator") || ($.problem = "not-supported") }',
    value: '-1',
  },
  /** Requests that the upstream service refused because it does not accept Segue's credentials. */
  LockedOut: { from: PROJECTS, pattern: '{ $.cause.name = "LockedOut" }' },
  /** Requests that the circuit breaker kept from the upstream service. */
  HeldBack: { from: PROJECTS, pattern: '{ $.cause.code = "HELD_BACK" }' },
  /** Webhook messages that could not be received because a secret or the table was not available. */
  WebhooksUnusable: {
    from: 'receiveWebhook',
    pattern: '{ ($.problem = "unavailable") || ($.problem = "outcome-unknown") }',
  },
  InvalidSignatures: { from: 'receiveWebhook', pattern: '{ $.problem = "invalid-signature" }' },
  ReusedTokens: { from: 'tokens', pattern: '{ $.operation = "refreshTokenReused" }' },
  /**
   * The age of the oldest item that is left undone, in milliseconds: payloads to sweep, open operations, deliveries,
   * jobs, and events to send.
   */
  OldestSwept: numberIn('sweeper', 'oldestMs', Stats.MAXIMUM),
  OldestOpen: numberIn('reconciler', 'oldestMs', Stats.MAXIMUM),
  OldestDelivery: numberIn('deliveries', 'oldestMs', Stats.MAXIMUM),
  OldestJob: numberIn('jobs', 'oldestMs', Stats.MAXIMUM),
  OldestEvent: numberIn('sendEvents', 'oldestMs', Stats.MAXIMUM),
  /** Characters that the translation engine charges for. */
  TranslatedCharacters: numberIn('jobs', 'characters'),
  /** Operations whose outcome was still unknown when their idempotency keys expired. */
  GivenUp: numberIn('reconciler', 'givenUp'),
  /** Webhook deliveries that became dead letters. */
  DeadDeliveries: numberIn('deliveries', 'letters', Stats.MAXIMUM),
  /** Deliveries of events that failed for good. */
  FailedEvents: numberIn('sendEvents', 'letters', Stats.MAXIMUM),
  Unowned: numberIn('audit', 'unowned'),
  Missing: numberIn('audit', 'missing'),
} as const satisfies Record<string, LogLines>;

/** The metrics of a gateway for its alarms and its dashboard, most of them over five minutes. */
export class GatewayMetrics extends Construct {
  readonly service: ServiceName;
  readonly api: RestApi;
  readonly table: ITable;
  readonly functions: GatewayFunctions;
  readonly bulkMachines: readonly StateMachine[];
  readonly #deliveriesTable: ITable;
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

  /** Returns a metric from log lines. The first call creates the metric's filters in CloudWatch. */
  logged(id: keyof typeof LOG_METRICS): Metric {
    const { from, pattern, value, statistic }: LogLines = LOG_METRICS[id];
    const functions = typeof from === 'string' ? [this.functions.get(from)] : this.#inGroups(from);
    const metric = this.#logMetric(id, functions, [pattern], value);
    return statistic === undefined ? metric : metric.with({ statistic });
  }

  /** Returns the metric of answers with status 500 and above, without those that the contract demands. */
  serverErrors(): IMetric {
    const errors = this.api.metricServerError({ statistic: Stats.SUM });
    return sum('failed', { errors, byContract: this.logged('AnswersByContract') });
  }

  /** Returns the metric of failures of the functions in a group. */
  errors(group: AlarmGroup): IMetric {
    return this.#sumOf(group, (deployed) =>
      COUNTED_IN_LOGS.includes(group)
        ? this.#logMetric(`${deployed.entry.name}Failed`, [deployed], FAILED)
        : deployed.lambda.metricErrors(),
    );
  }

  /** Returns the metric of invocations that Lambda refused, for the functions in a group. */
  throttles(group: AlarmGroup): IMetric {
    return this.#sumOf(group, ({ lambda }) => lambda.metricThrottles());
  }

  /** Returns the metric of requests that failed because the project service, hosted or upstream, is not available. */
  serviceUnusable(): IMetric {
    const problems = [
      'unavailable',
      ...(this.service === 'upstream' ? ['upstream-unavailable'] : []),
      'outcome-unknown',
    ];
    const pattern = `{ ${problems.map((problem) => `($.problem = "${problem}")`).join(' || ')} }`;
    return this.#logMetric('Unusable', this.#inGroups(PROJECTS), [pattern]);
  }

  /**
   * Returns the metric of projects that only one side has, Segue's ledger or the upstream service, by the audits of a
   * day.
   */
  strayProjects(): IMetric {
    return sum('strays', { unowned: this.logged('Unowned'), missing: this.logged('Missing') }, Duration.days(1));
  }

  /** Returns the metric of how long the oldest record of a stream has waited for its function, in milliseconds. */
  streamAgeMs(name: FunctionName): IMetric {
    return this.functions.lambda(name).metric('IteratorAge', { statistic: Stats.MAXIMUM });
  }

  deadLetters(name: FunctionName, trigger: Trigger): IMetric {
    return this.functions.deadLetters(name, trigger).metricApproximateNumberOfMessagesVisible();
  }

  failedBulkRuns(): IMetric {
    const metrics = this.bulkMachines.map((machine, index) => [`failed${index}`, machine.metricFailed()] as const);
    return sum('bulk runs failed', Object.fromEntries(metrics));
  }

  tableThrottles(): IMetric {
    const metricsOf = (table: ITable, id: string) => ({
      [`${id}Reads`]: table.metric('ReadThrottleEvents', { statistic: Stats.SUM }),
      [`${id}Writes`]: table.metric('WriteThrottleEvents', { statistic: Stats.SUM }),
    });
    return sum('throttled', { ...metricsOf(this.table, 'table'), ...metricsOf(this.#deliveriesTable, 'deliveries') });
  }

  tableErrors(): IMetric {
    const metricsOf = (table: ITable, id: string, operations: readonly string[]) =>
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

  #inGroups(groups: readonly AlarmGroup[]): DeployedFunction[] {
    return groups.flatMap((group) => this.functions.inGroup(group));
  }

  #sumOf(group: AlarmGroup, metricOf: (deployed: DeployedFunction) => Metric): IMetric {
    const metrics = this.functions.inGroup(group).map((deployed) => [deployed.entry.name, metricOf(deployed)] as const);
    return sum(group, Object.fromEntries(metrics));
  }

  /**
   * Returns the metric with this id, and creates its filters on the first call. A line counts once for each matching
   * pattern.
   */
  #logMetric(id: string, from: readonly DeployedFunction[], patterns: readonly string[], value = '1'): Metric {
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

/**
 * Returns the sum of those metrics that have a value.
 * @param label the name of the sum in the CloudWatch console, unique on a page
 */
function sum(label: string, metrics: Readonly<Record<string, IMetric>>, period = Duration.minutes(5)): IMetric {
  const expression = `SUM([${Object.keys(metrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics: { ...metrics }, label, period });
}
