import { Duration, Names, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { FunctionName, ServiceName } from '../functions/catalogue.ts';
import type { Delivering } from '../functions/delivering.ts';
import type { DeployedFunction } from '../functions/deployed-function.ts';
import { type FunctionGroup, GROUP_OF, TOLD_BY_LOG } from '../functions/function-groups.ts';
import type { Publishing } from '../functions/publishing.ts';
import type { Settling } from '../functions/settling.ts';
import type { Sweeping } from '../functions/sweeping.ts';
import type { BulkProjects } from '../workflow/bulk.ts';
import { LogMetric, type LogMetricProps } from './log-metric.ts';

export interface WatchedProps {
  readonly service: ServiceName;
  readonly api: RestApi;
  readonly table: Table;
  /** Of what webhooks brought. */
  readonly deliveries: Table;
  readonly functions: ReadonlyMap<FunctionName, DeployedFunction>;
  readonly publishing: Publishing;
  readonly delivering: Delivering;
  readonly bulk: readonly BulkProjects[];
  /** Of the hosted service. */
  readonly sweeping?: Sweeping;
  /** In front of another service. */
  readonly settling?: Settling;
}

/** Lines of a function that said no for a reason of its own, or died. */
const FAILED = ['{ $.level = "error" }', '?"Task timed out" ?"Runtime exited" ?"Uncaught Exception"'];

/** What the service could not be asked, or not be told. */
const UNUSABLE: Record<ServiceName, readonly string[]> = {
  hosted: ['unavailable', 'outcome-unknown'],
  upstream: ['unavailable', 'upstream-unavailable', 'outcome-unknown'],
};

/** What is worth looking at, as metrics of five minutes. Logs are read as `lib/service/log.ts` writes them. */
export class Watched extends Construct {
  readonly service: ServiceName;
  readonly api: RestApi;
  readonly table: Table;
  readonly publishing: Publishing;
  readonly delivering: Delivering;
  readonly bulk: readonly BulkProjects[];
  readonly sweeping: Sweeping | undefined;
  readonly settling: Settling | undefined;
  /** Answers of 500 and more, but for those that the contract asks for. */
  readonly serverErrors: IMetric;
  /** Answers and failures because the service cannot be used. */
  readonly unusable: Metric;
  readonly #deliveries: Table;
  readonly #functions: WatchedProps['functions'];
  readonly #namespace: string;

  constructor(scope: Construct, id: string, { service, api, table, deliveries, functions, ...behind }: WatchedProps) {
    super(scope, id);
    this.service = service;
    this.api = api;
    this.table = table;
    this.#deliveries = deliveries;
    this.#functions = functions;
    this.publishing = behind.publishing;
    this.delivering = behind.delivering;
    this.bulk = behind.bulk;
    this.sweeping = behind.sweeping;
    this.settling = behind.settling;
    const name = Names.uniqueResourceName(this, { maxLength: 100, separator: '-' });
    this.#namespace = `Segue/${Stack.of(this).stackName}/${name}`;

    // counted by -1: subtracting a metric that has no value would leave none
    const byContract = this.#logMetric('TeamsWithoutTranslator', ['createProject'], {
      patterns: ['{ $.problem = "team-without-translator" }'],
      value: '-1',
    });
    this.serverErrors = sum('failed', { errors: api.metricServerError({ statistic: Stats.SUM }), byContract });
    const problems = UNUSABLE[service].map((problem) => `($.problem = "${problem}")`).join(' || ');
    this.unusable = this.#logMetric('Unusable', this.#onProjects(), { patterns: [`{ ${problems} }`] });
  }

  /** The functions of a group that this service has. */
  namesOf(group: FunctionGroup): FunctionName[] {
    return [...this.#functions.keys()].filter((name) => GROUP_OF[name] === group);
  }

  /** How often functions of a group failed: ended without an answer, or with one that is their own fault. */
  errorsOf(group: FunctionGroup): IMetric {
    return this.#sumOf(group, (name) =>
      TOLD_BY_LOG.includes(name)
        ? this.#logMetric(`${name}Failed`, [name], { patterns: FAILED })
        : this.lambdaOf(name).metricErrors(),
    );
  }

  /** How often functions of a group were not run, since too many were running. */
  throttlesOf(group: FunctionGroup): IMetric {
    return this.#sumOf(group, (name) => this.lambdaOf(name).metricThrottles());
  }

  /** For how long, in milliseconds, the oldest of what a function left has been due or open. */
  oldestLeftBy(name: 'sweeper' | 'reconciler' | 'deliveries'): Metric {
    const id = { sweeper: 'OldestSwept', reconciler: 'OldestOpen', deliveries: 'OldestDelivery' }[name];
    const metric = this.#logMetric(id, [name], { patterns: ['{ $.oldestMs >= 0 }'], value: '$.oldestMs' });
    return metric.with({ statistic: Stats.MAXIMUM });
  }

  /** Operations whose outcome nobody could find out as long as their keys were kept. */
  givenUp(): Metric {
    return this.#logMetric('GivenUp', ['reconciler'], { patterns: ['{ $.givenUp >= 0 }'], value: '$.givenUp' });
  }

  /** How many messages of webhooks have come to nothing, and wait for somebody. */
  deadDeliveries(): Metric {
    const of = { patterns: ['{ $.letters >= 0 }'], value: '$.letters' };
    return this.#logMetric('DeadDeliveries', ['deliveries'], of).with({ statistic: Stats.MAXIMUM });
  }

  /** How often the service behind took no credentials that Segue has. */
  lockedOut(): Metric {
    return this.#logMetric('LockedOut', this.#onProjects(), { patterns: ['{ $.cause.name = "LockedOut" }'] });
  }

  /** Requests that were not passed on, since the service behind fails or has asked to be left alone. */
  heldBack(): Metric {
    return this.#logMetric('HeldBack', this.#onProjects(), { patterns: ['{ $.cause.code = "HELD_BACK" }'] });
  }

  /** How often a message was not taken in because a secret or a table cannot be used. */
  webhooksUnusable(): Metric {
    const patterns = ['{ ($.problem = "unavailable") || ($.problem = "outcome-unknown") }'];
    return this.#logMetric('WebhooksUnusable', ['receiveWebhook'], { patterns });
  }

  /** How often a message did not prove its sender. */
  invalidSignatures(): Metric {
    const patterns = ['{ $.problem = "invalid-signature" }'];
    return this.#logMetric('InvalidSignatures', ['receiveWebhook'], { patterns });
  }

  /** How often a refresh token was used that had been used before. */
  reusedTokens(): Metric {
    const patterns = ['{ $.operation = "refreshTokenReused" }'];
    return this.#logMetric('ReusedTokens', ['refreshToken'], { patterns });
  }

  /** Projects that the last audit of a day found without an owner, or owners without. */
  strays(): IMetric {
    const of = (id: string, field: string) =>
      this.#logMetric(id, ['audit'], { patterns: [`{ $.${field} >= 0 }`], value: `$.${field}` });
    return sum('strays', { unowned: of('Unowned', 'unowned'), missing: of('Missing', 'missing') }, Duration.days(1));
  }

  /** For how long, in milliseconds, the oldest record of the stream has waited for a function. */
  iteratorAgeOf(name: FunctionName): Metric {
    return this.lambdaOf(name).metric('IteratorAge', { statistic: Stats.MAXIMUM });
  }

  /** Bulk runs that came to no good end. */
  bulkFailures(): IMetric {
    const metrics = this.bulk.map(({ machine }, index) => [`failed${index}`, machine.metricFailed()] as const);
    return sum('bulk runs failed', Object.fromEntries(metrics));
  }

  /** How often a table turned a request away. */
  tableThrottles(): IMetric {
    const metricsOf = (table: Table, id: string) => ({
      [`${id}Reads`]: table.metric('ReadThrottleEvents', { statistic: Stats.SUM }),
      [`${id}Writes`]: table.metric('WriteThrottleEvents', { statistic: Stats.SUM }),
    });
    return sum('turned away', { ...metricsOf(this.table, 'table'), ...metricsOf(this.#deliveries, 'deliveries') });
  }

  /** How often a table failed. */
  tableErrors(): IMetric {
    const metricsOf = (table: Table, id: string, operations: readonly string[]) =>
      operations.map((Operation) => {
        const dimensionsMap = { TableName: table.tableName, Operation };
        return [`${id}${Operation}`, table.metric('SystemErrors', { statistic: Stats.SUM, dimensionsMap })] as const;
      });
    const metrics = [
      ...metricsOf(this.table, 'table', OPERATIONS),
      ...metricsOf(this.#deliveries, 'deliveries', DELIVERY_OPERATIONS),
    ];
    return sum('table failed', Object.fromEntries(metrics));
  }

  lambdaOf(name: FunctionName) {
    return this.#deployed(name).lambda;
  }

  /** The functions that ask the service for projects. */
  #onProjects(): FunctionName[] {
    return [...this.namesOf('Projects'), ...this.namesOf('Tasks')];
  }

  #sumOf(group: FunctionGroup, metricOf: (name: FunctionName) => Metric): IMetric {
    return sum(group, Object.fromEntries(this.namesOf(group).map((name) => [name, metricOf(name)])));
  }

  #logMetric(id: string, names: readonly FunctionName[], of: Pick<LogMetricProps, 'patterns' | 'value'>): Metric {
    const made = this.node.tryFindChild(id);
    if (made instanceof LogMetric) return made.metric;
    const logs = names.map((name) => this.#deployed(name).logGroup);
    return new LogMetric(this, id, { namespace: this.#namespace, logs, ...of }).metric;
  }

  #deployed(name: FunctionName): DeployedFunction {
    const deployed = this.#functions.get(name);
    if (deployed === undefined) throw new RangeError(`There is no function ${name}`);
    return deployed;
  }
}

/** What the functions ask the tables. */
const OPERATIONS = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'] as const;
const DELIVERY_OPERATIONS = ['GetItem', 'Query', 'TransactWriteItems'] as const;

const PERIOD = Duration.minutes(5);

/** The sum of those that have a value. The names of the metrics are unique on a page. */
function sum(label: string, metrics: Readonly<Record<string, IMetric>>, period = PERIOD): IMetric {
  const expression = `SUM([${Object.keys(metrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics: { ...metrics }, label, period });
}
