import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { FunctionGroup } from '../functions/function-groups.ts';
import type { Watched } from './metrics.ts';

export interface GatewayDashboardProps {
  readonly watched: Watched;
  readonly alarms: readonly Alarm[];
}

const GROUPS: readonly FunctionGroup[] = ['Projects', 'Credentials', 'Webhooks', 'Pages', 'Tasks', 'Background'];
const HALF = { width: 12, height: 6 } as const;

/** One page: alarms, what callers see, functions, table, and what works behind the API. */
export class GatewayDashboard extends Construct {
  constructor(scope: Construct, id: string, { watched, alarms }: GatewayDashboardProps) {
    super(scope, id);
    const { api, table } = watched;
    const rows: IWidget[][] = [
      [graph('Requests', [api.metricCount(), api.metricClientError(), watched.serverErrors]), latency(watched)],
      [
        graph(
          'Functions that failed',
          GROUPS.map((group) => watched.errorsOf(group)),
        ),
        graph(
          'Functions not run',
          GROUPS.map((group) => watched.throttlesOf(group)),
        ),
      ],
      [
        graph('Table', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
        graph('Service unusable, table turning away', [watched.unusable, watched.tableThrottles()]),
      ],
    ];
    rows.push([
      graph('Webhooks refused', [watched.invalidSignatures(), watched.webhooksUnusable()]),
      graph('Refresh tokens used twice', [watched.reusedTokens()]),
    ]);
    rows.push([graph('Waiting, in milliseconds', waiting(watched)), graph('Dead letters', letters(watched))]);
    rows.push([graph('Messages of webhooks that came to nothing', [watched.deadDeliveries()])]);
    if (watched.settling) {
      rows.push([
        graph('Asked in vain', [watched.lockedOut(), watched.heldBack()]),
        graph('Projects that both sides do not have', [watched.strays()]),
      ]);
    }
    const status = alarms.length > 0 ? [[new AlarmStatusWidget({ alarms: [...alarms], width: 24, height: 4 })]] : [];
    new Dashboard(this, 'Dashboard', { widgets: [...status, ...rows] });
  }
}

function waiting(watched: Watched): IMetric[] {
  return [
    watched.iteratorAgeOf('publishEvents'),
    watched.iteratorAgeOf('deliveries'),
    watched.oldestLeftBy('deliveries'),
    ...(watched.sweeping ? [watched.oldestLeftBy('sweeper'), watched.iteratorAgeOf('sweeper')] : []),
    ...(watched.settling ? [watched.oldestLeftBy('reconciler')] : []),
  ];
}

function letters({ publishing, delivering, sweeping, settling }: Watched): IMetric[] {
  const queues = [
    publishing.deadLetters,
    delivering.stream.deadLetters,
    delivering.schedule.deadLetters,
    ...(sweeping ? [sweeping.stream.deadLetters, sweeping.schedule.deadLetters] : []),
    ...(settling ? [settling.reconciliation.deadLetters, settling.audit.deadLetters] : []),
  ];
  return queues.map((queue) => queue.metricApproximateNumberOfMessagesVisible());
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ ...HALF, title, left });
}

function latency({ api }: Watched): GraphWidget {
  return graph(
    'Latency in milliseconds',
    ['p50', 'p99'].map((statistic) => api.metricLatency({ statistic, label: statistic })),
  );
}
