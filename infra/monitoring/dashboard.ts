import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ALERT_ALARMS } from '../../lib/contract/alerts.ts';
import type { GatewayMetrics } from './metrics.ts';

/**
 * Creates a dashboard that shows the alarms, the API, the functions, the table and the background work. What only log
 * lines say, it reads from the logs when somebody looks at it: a metric of them would cost something all the time.
 */
export function createDashboard(scope: Construct, metrics: GatewayMetrics, alarms: readonly Alarm[]): Dashboard {
  const { api, table, functions } = metrics;
  const { Background } = functions.logs;
  const latency = ['p50', 'p95', 'p99'].map((statistic) => api.metricLatency({ statistic, label: statistic }));
  const queues = functions.deadLetterQueues().map((queue) => queue.metricApproximateNumberOfMessagesVisible());
  const rows: IWidget[][] = [
    [
      graph('Requests', [metrics.requests(), metrics.clientErrors(), api.metricServerError()]),
      graph('Latency in milliseconds', latency),
    ],
    [
      graph('Functions: failed calls', metrics.functionErrors()),
      graph('Functions: refused calls', metrics.functionThrottles()),
    ],
    [
      graph('Table', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
      graph('Tables throttled', [metrics.tableThrottles()]),
    ],
    [
      logQuery('Alerts', LogQueryVisualizationType.TABLE, Object.values(functions.logs), [
        'filter ispresent(alert)',
        'stats count(*) as lines, max(@timestamp) as last by alert, operation',
        'sort last desc',
      ]),
      logQuery(
        'Oldest waiting work, in milliseconds',
        LogQueryVisualizationType.LINE,
        [Background],
        ['filter oldestMs > 0', 'stats max(oldestMs) by bin(5m)'],
      ),
    ],
    [graph('Claimed concurrency of the account', [metrics.claimedConcurrency()]), graph('Dead letters', queues)],
    [
      graph(
        'Points of alerts',
        ALERT_ALARMS.map((alarm) => metrics.alertPoints(alarm)),
      ),
    ],
  ];
  if (metrics.service === 'hosted') {
    const perHour = ['filter characters >= 0', 'stats sum(characters) by bin(1h)'];
    rows.push([logQuery('Translated characters', LogQueryVisualizationType.BAR, [Background], perHour)]);
  }
  const status = alarms.length > 0 ? [[new AlarmStatusWidget({ alarms: [...alarms], width: 24, height: 4 })]] : [];
  return new Dashboard(scope, 'Dashboard', { widgets: [...status, ...rows] });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 12, height: 6 });
}

function logQuery(
  title: string,
  view: LogQueryVisualizationType,
  logs: readonly ILogGroup[],
  queryLines: string[],
): LogQueryWidget {
  const logGroupNames = logs.map(({ logGroupName }) => logGroupName);
  return new LogQueryWidget({ title, view, logGroupNames, queryLines, width: 12, height: 6 });
}
