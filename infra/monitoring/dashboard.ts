import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { ALARM_GROUPS } from '../functions/catalogue.ts';
import type { GatewayMetrics } from './metrics.ts';

/** Creates a dashboard of the alarms, the API, the functions, the table and the background work. */
export function createDashboard(scope: Construct, metrics: GatewayMetrics, alarms: readonly Alarm[]): Dashboard {
  const { api, table, functions } = metrics;
  const isHosted = metrics.service === 'hosted';
  const latency = ['p50', 'p99'].map((statistic) => api.metricLatency({ statistic, label: statistic }));
  const background = isHosted
    ? [metrics.oldestAgeMs('sweeper'), metrics.streamAgeMs('sweeper')]
    : [metrics.oldestAgeMs('reconciler')];
  const ages = [
    metrics.streamAgeMs('publishEvents'),
    metrics.streamAgeMs('deliveries'),
    metrics.oldestAgeMs('deliveries'),
    ...background,
  ];
  const queues = functions.allDeadLetters().map((queue) => queue.metricApproximateNumberOfMessagesVisible());
  const rows: IWidget[][] = [
    [
      graph('Requests', [api.metricCount(), api.metricClientError(), metrics.serverErrors()]),
      graph('Latency in milliseconds', latency),
    ],
    [
      graph(
        'Failures of functions',
        ALARM_GROUPS.map((group) => metrics.errors(group)),
      ),
      graph(
        'Throttles of functions',
        ALARM_GROUPS.map((group) => metrics.throttles(group)),
      ),
    ],
    [
      graph('Table', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
      graph('Service unusable, table throttled', [metrics.serviceUnusable(), metrics.tableThrottles()]),
    ],
    [
      graph('Webhooks refused', [metrics.invalidSignatures(), metrics.webhooksUnusable()]),
      graph('Refresh tokens used twice', [metrics.reusedRefreshTokens()]),
    ],
    [graph('Oldest waiting item, in milliseconds', ages), graph('Dead letters', queues)],
    [graph('Failed webhook deliveries', [metrics.deadDeliveries()])],
  ];
  if (!isHosted) {
    rows.push([
      graph('Upstream refusals', [metrics.upstreamLockedOut(), metrics.upstreamHeldBack()]),
      graph('Projects that only one side has', [metrics.strayProjects()]),
    ]);
  }
  const status = alarms.length > 0 ? [[new AlarmStatusWidget({ alarms: [...alarms], width: 24, height: 4 })]] : [];
  return new Dashboard(scope, 'Dashboard', { widgets: [...status, ...rows] });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 12, height: 6 });
}
