import { Duration, Names, Stack } from 'aws-cdk-lib';
import type { RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { AlertAlarm } from '../../lib/contract/alerts.ts';
import type { Api } from '../api/api.ts';
import { FUNCTION_LOGS, type ServiceName } from '../functions/function-spec.ts';
import type { GatewayFunctions } from '../functions/functions.ts';
import type { Stores } from '../stores/stores.ts';
import { BROKEN, COUNTED_LINES, FAILED_RUNS, REPORTED_ERRORS } from './alert-lines.ts';

interface GatewayMetricsProps {
  readonly service: ServiceName;
  readonly api: Api;
  readonly stores: Stores;
  readonly functions: GatewayFunctions;
  /** Whether the operator limits the writes of tables. */
  readonly hasWriteLimit: boolean;
  /** The log of all bulk runs, if there are any. */
  readonly bulkLog: ILogGroup | undefined;
}

/** Log lines of one kind, whose number or values make a metric. */
interface LoggedLines {
  /** The name of the lines, unique for their metric. CloudFormation would replace a filter whose name changes. */
  readonly name: string;
  readonly logGroup: ILogGroup;
  /** The filter pattern that selects the lines, in the syntax of CloudWatch. */
  readonly pattern: string;
  /** The value of a line: a number, or the field that holds the number. */
  readonly value: string;
}

/** The least requests in five minutes of which 95 % say something. */
const MIN_REQUESTS = 20;

/** The kinds of throttled writes, by their cause, without those above the limit that a table itself has. */
const WRITES_BELOW_LIMIT = ['WriteKeyRangeThroughput', 'WriteAccountLimit'] as const;

/** The metrics of a gateway for its alarms and its dashboard, over five minutes. */
export class GatewayMetrics extends Construct {
  readonly service: ServiceName;
  readonly api: RestApiBase;
  readonly table: ITable;
  readonly functions: GatewayFunctions;
  readonly #accessLog: ILogGroup | undefined;
  readonly #tables: Readonly<Record<string, ITable>>;
  readonly #hasWriteLimit: boolean;
  readonly #bulkLog: ILogGroup | undefined;
  readonly #namespace: string;
  readonly #logMetrics = new Map<string, Metric>();

  constructor(
    scope: Construct,
    id: string,
    { service, api, stores, functions, bulkLog, ...props }: GatewayMetricsProps,
  ) {
    super(scope, id);
    this.service = service;
    this.#hasWriteLimit = props.hasWriteLimit;
    this.api = api.rest;
    this.#accessLog = api.accessLog;
    this.table = stores.table;
    this.#tables = {
      table: stores.table,
      credentials: stores.credentialsTable,
      ...(stores.deliveriesTable && { deliveries: stores.deliveriesTable }),
    };
    this.functions = functions;
    this.#bulkLog = bulkLog;
    const name = Names.uniqueResourceName(this, { maxLength: 100, separator: '-' });
    this.#namespace = `Segue/${Stack.of(this).stackName}/${name}`;
  }

  /** Returns the metric of the points of the alerts that an alarm counts. */
  alertPoints(alarm: AlertAlarm): Metric {
    const logs = [
      ...FUNCTION_LOGS.map((log) => ({ log, logGroup: this.functions.logs[log], counted: COUNTED_LINES[log] })),
      ...(this.#bulkLog ? [{ log: 'Bulk', logGroup: this.#bulkLog, counted: [FAILED_RUNS] }] : []),
    ];
    const lines = logs.flatMap(({ log, logGroup, counted }) =>
      counted
        .filter((one) => one.alarm === alarm)
        .map(({ name, pattern, points }) => ({ name: `${log}${name}`, logGroup, pattern, value: points })),
    );
    return this.#logMetric(alarm, lines);
  }

  /** Returns the metric of failures that only the code of a function explains. */
  broken(): Metric {
    const { logs } = this.functions;
    const lines = FUNCTION_LOGS.map((name) => ({ name, logGroup: logs[name], pattern: BROKEN, value: '1' }));
    return this.#logMetric('Broken', lines);
  }

  /** Returns the metric of answers with status 500 and above, without those that the contract demands. */
  serverErrors(): MathExpression {
    const errors = this.api.metricServerError({ statistic: Stats.SUM });
    const pattern = '{ ($.problem = "team-without-translator") || ($.problem = "not-supported") }';
    // The value is -1 so that it can be added. A subtraction would give no value while this metric has none.
    const byContract = this.#logMetric('AnswersByContract', [this.#inHttp(pattern, '-1')]);
    return sum('failed', { errors, byContract });
  }

  /**
   * Returns the metric of answers with status 500 and above that no function has logged: API Gateway gave them, because
   * a function did not start, or did not answer. All others are alerts.
   */
  unreportedErrors(): MathExpression {
    const errors = this.api.metricServerError({ statistic: Stats.SUM });
    const reported = this.#logMetric('ReportedErrors', [this.#inHttp(REPORTED_ERRORS, '-1')]);
    return sum('failed without a log line', { errors, reported });
  }

  /** Returns the metric of the requests of all companies. */
  requests(): Metric {
    return this.api.metricCount();
  }

  /** Returns the metric of answers with status 400 to 499. */
  clientErrors(): Metric {
    return this.api.metricClientError();
  }

  /** Returns the metric of requests above a rate, which API Gateway answered with 429; `undefined` without access log. */
  throttledRequests(): Metric | undefined {
    const logGroup = this.#accessLog;
    if (!logGroup) return undefined;
    const lines = { name: 'Access', logGroup, pattern: '{ $.status = "429" }', value: '1' };
    return this.#logMetric('ThrottledRequests', [lines]);
  }

  /** Returns the metric of the time for which 95 % of the requests got their answers, in milliseconds. */
  latencyMs(): Metric {
    return this.api.metricLatency({ statistic: Stats.percentile(95) });
  }

  /**
   * Returns the metric of the latency if it says something: with at least 20 requests, of which 95 % did not fail. A
   * failure is often slow, and has alarms of its own.
   */
  slowness(): MathExpression {
    return new MathExpression({
      expression: `IF(requests >= ${MIN_REQUESTS} AND failing < 0.05, latency, 0)`,
      usingMetrics: {
        requests: this.requests().with({ statistic: Stats.SUM }),
        failing: this.api.metricServerError({ statistic: Stats.AVERAGE }),
        latency: this.latencyMs(),
      },
      label: 'latency of many requests',
      period: Duration.minutes(5),
    });
  }

  /**
   * Returns the metric of how much of the account's concurrency is claimed in this region, in percent: by functions that
   * run, and by reservations. The account may have other functions than those of this gateway.
   */
  claimedConcurrency(): MathExpression {
    const of = (metricName: string) => new Metric({ namespace: 'AWS/Lambda', metricName, statistic: Stats.MAXIMUM });
    return new MathExpression({
      expression: '100 * claimed / SERVICE_QUOTA(running)',
      usingMetrics: { claimed: of('ClaimedAccountConcurrency'), running: of('ConcurrentExecutions') },
      label: 'claimed concurrency in percent',
      period: Duration.minutes(5),
    });
  }

  /**
   * Returns the metric of invocations that Lambda refused because of a reserved concurrency; `undefined` if no function
   * has one. All other throttles come from the account's concurrency.
   */
  throttles(): IMetric | undefined {
    const reserved = this.functions.all().filter(({ isReserved }) => isReserved);
    if (reserved.length === 0) return undefined;
    const metrics = reserved.map(({ entry, lambda }) => [entry.name, lambda.metricThrottles()] as const);
    return sum('throttled', Object.fromEntries(metrics));
  }

  /**
   * Returns a metric that has a value only while every schedule of a kind calls its function. Those that run every few
   * minutes write the heartbeats for which the stream calls `publishEvents`, so its runs count too.
   * @param period the period in which each schedule of this kind must call its function
   */
  schedules(kind: 'rate' | 'cron', period: Duration): IMetric | undefined {
    const scheduled = this.functions.all().filter(({ entry }) => entry.schedule?.expression.startsWith(kind));
    if (scheduled.length === 0) return undefined;
    const calls = scheduled.map(({ entry, lambda }) => [entry.name, callsOf(lambda)] as const);
    const { lambda: publisher, entry } = this.functions.get('publishEvents');
    const metrics = kind === 'cron' ? calls : [...calls, [entry.name, publisher.metricInvocations()] as const];
    return new MathExpression({
      // A product has no value in periods in which a factor has none.
      expression: metrics.map(([name]) => name).join(' * '),
      usingMetrics: Object.fromEntries(metrics),
      label: 'every schedule runs',
      period,
    });
  }

  /** Returns the metric of the messages in the dead-letter queues. */
  deadLetters(): MathExpression {
    const queues = this.functions.deadLetterQueues().map((queue, index) => [`letters${index}`, queue] as const);
    const metrics = queues.map(([id, queue]) => [id, queue.metricApproximateNumberOfMessagesVisible()] as const);
    return sum('dead letters', Object.fromEntries(metrics));
  }

  /**
   * Returns the metric of the reads and writes that DynamoDB throttled, except for those above a limit that the operator
   * has set.
   */
  tableThrottles(): MathExpression {
    const kinds = ['Read', ...(this.#hasWriteLimit ? WRITES_BELOW_LIMIT : ['Write'])];
    const metrics = Object.entries(this.#tables).flatMap(([id, table]) =>
      kinds.map((kind) => {
        return [`${id}${kind}s`, table.metric(`${kind}ThrottleEvents`, { statistic: Stats.SUM })] as const;
      }),
    );
    return sum('throttled', Object.fromEntries(metrics));
  }

  /** Returns the failures of each function, by Lambda's count, which includes refused credentials and task failures. */
  functionErrors(): IMetric[] {
    return this.functions.all().map(({ lambda, entry }) => lambda.metricErrors({ label: entry.name }));
  }

  /** Returns how often Lambda refused to invoke each function. */
  functionThrottles(): IMetric[] {
    return this.functions.all().map(({ lambda, entry }) => lambda.metricThrottles({ label: entry.name }));
  }

  /** Returns lines in the log of the functions behind the API. */
  #inHttp(pattern: string, value: string): LoggedLines {
    return { name: 'Http', logGroup: this.functions.logs.Http, pattern, value };
  }

  /** Returns the metric with this id: the sum of the values of the lines. Creates its filters on the first call. */
  #logMetric(id: string, lines: readonly LoggedLines[]): Metric {
    const known = this.#logMetrics.get(id);
    if (known) return known;
    for (const { name, logGroup, pattern, value } of lines) {
      new MetricFilter(this, `${id}-${name}`, {
        logGroup,
        filterPattern: FilterPattern.literal(pattern),
        metricNamespace: this.#namespace,
        metricName: id,
        metricValue: value,
      });
    }
    const metric = new Metric({ namespace: this.#namespace, metricName: id, statistic: Stats.SUM });
    this.#logMetrics.set(id, metric);
    return metric;
  }
}

/** Returns how many asynchronous calls of a function arrived at Lambda. Only schedules make such calls. */
function callsOf(lambda: IFunction): Metric {
  return lambda.metric('AsyncEventsReceived', { statistic: Stats.SUM });
}

/**
 * Returns the sum of those metrics that have a value.
 * @param label the name of the sum in the CloudWatch console, unique on a page
 */
function sum(label: string, metrics: Readonly<Record<string, IMetric>>): MathExpression {
  const expression = `SUM([${Object.keys(metrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics: { ...metrics }, label, period: Duration.minutes(5) });
}
