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

/** Creates a dashboard that shows the alarms, the API, the functions, the table and the background work. */
export function createDashboard(scope: Construct, metrics: GatewayMetrics, alarms: readonly Alarm[]): Dashboard {
  const { api, table, functions } = metrics;
  const isHosted = metrics.service === 'hosted';
  const latency = ['p50', 'p99'].map((statistic) => api.metricLatency({ statistic, label: statistic }));
  const ages = [
    metrics.streamAgeMs('publishEvents'),
    metrics.streamAgeMs('deliveries'),
    metrics.logged('OldestDelivery'),
    metrics.logged(isHosted ? 'OldestSwept' : 'OldestOpen'),
    ...(isHosted
      ? [
          metrics.streamAgeMs('sweeper'),
          metrics.streamAgeMs('sendEvents'),
          metrics.logged('OldestEvent'),
          metrics.logged('OldestJob'),
        ]
      : []),
  ];
  const errors = ALARM_GROUPS.map((group) => metrics.errors(group));
  const throttles = ALARM_GROUPS.map((group) => metrics.throttles(group));
  const queues = functions.allDeadLetters().map((queue) => queue.metricApproximateNumberOfMessagesVisible());
  const rows: IWidget[][] = [
    [
      graph('Requests', [api.metricCount(), api.metricClientError(), metrics.serverErrors()]),
      graph('Latency in milliseconds', latency),
    ],
    [graph('Failures of functions', errors), graph('Throttles of functions', throttles)],
    [
      graph('Table', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
      graph('Service unusable, table throttled', [metrics.serviceUnusable(), metrics.tableThrottles()]),
    ],
    [
      graph('Webhooks refused', [metrics.logged('InvalidSignatures'), metrics.logged('WebhooksUnusable')]),
      graph('Refresh tokens used twice', [metrics.logged('ReusedTokens')]),
    ],
    [graph('Oldest waiting item, in milliseconds', ages), graph('Dead letters', queues)],
    [
      graph('Failed webhook deliveries', [metrics.logged('DeadDeliveries')]),
      ...(isHosted ? [graph('Failed deliveries of events', [metrics.logged('FailedEvents')])] : []),
    ],
  ];
  if (isHosted) rows.push([graph('Translated characters', [metrics.logged('TranslatedCharacters')])]);
  if (!isHosted) {
    rows.push([
      graph('Upstream refusals', [metrics.logged('LockedOut'), metrics.logged('HeldBack')]),
      graph('Projects that only one side has', [metrics.strayProjects()]),
    ]);
  }
  const status = alarms.length > 0 ? [[new AlarmStatusWidget({ alarms: [...alarms], width: 24, height: 4 })]] : [];
  return new Dashboard(scope, 'Dashboard', { widgets: [...status, ...rows] });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 12, height: 6 });
}
