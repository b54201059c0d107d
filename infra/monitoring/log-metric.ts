import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

export interface LogMetricProps {
  readonly namespace: string;
  readonly logs: readonly ILogGroup[];
  /** Which lines count: patterns of CloudWatch's, any of which may fit. */
  readonly patterns: readonly string[];
  /** The number of a line, one unless given. */
  readonly value?: string;
}

/** A metric made of the lines of logs. */
export class LogMetric extends Construct {
  /** As a sum, in five minutes. */
  readonly metric: Metric;

  constructor(scope: Construct, id: string, { namespace, logs, patterns, value = '1' }: LogMetricProps) {
    super(scope, id);
    logs.forEach((logGroup, log) => {
      patterns.forEach((pattern, index) => {
        new MetricFilter(this, `Filter${log}-${index}`, {
          logGroup,
          filterPattern: FilterPattern.literal(pattern),
          metricNamespace: namespace,
          metricName: id,
          metricValue: value,
        });
      });
    });
    this.metric = new Metric({ namespace, metricName: id, statistic: Stats.SUM });
  }
}
