import { Duration, Names } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { ALARM_POINTS } from '../../lib/contract/alerts.ts';
import type { GatewayMetrics } from './metrics.ts';

/**
 * How urgent an alarm is. A page is about what users lose now. A ticket is about work for the next days. The names of
 * alarms begin with the tier.
 */
export type Tier = 'page' | 'ticket';

/** An alarm of a gateway. The alarm's description consists of `impact` and `lookAt`. */
interface AlarmSpec {
  readonly tier: Tier;
  /** What users lose until the alarm ends. */
  readonly impact: string;
  /** What the operator should look at first. */
  readonly lookAt: string;
  readonly metric: IMetric;
  /**
   * The value of the metric from which on a period counts. Default: 1. `no data` means that the alarm has insufficient
   * data if a schedule no longer runs, and that this starts the actions.
   */
  readonly threshold?: number | 'no data';
  /** How many consecutive periods must reach the threshold. Default: 1. */
  readonly periods?: number;
}

const ALERTS =
  'the field alert in the log lines of the last minutes, with the saved query “errors and alerts”. docs/alarms.md explains each alert.';

/** A claim of so much of the account's concurrency starts the alarm, in percent. */
const CLAIMED_PERCENT = 90;
/** A latency from which on requests are slow, in milliseconds. */
const SLOW_MS = 10_000;

/**
 * Creates the alarms of a gateway.
 * @param topic is notified when an alarm starts, and when a page ends; without a topic, nobody is notified
 * @returns the alarms by their names, without tier and gateway
 */
export function createAlarms(
  scope: Construct,
  metrics: GatewayMetrics,
  topic: ITopic | undefined,
): ReadonlyMap<string, Alarm> {
  const gateway = Names.uniqueResourceName(scope.node.scope ?? scope, { maxLength: 200, separator: '-' });
  const alarms = Object.entries(alarmSpecs(metrics)).map(([id, spec]): [string, Alarm] => {
    const { tier, impact, lookAt, metric, threshold = 1, periods = 1 } = spec;
    const needsData = threshold === 'no data';
    const alarm = new Alarm(scope, id, {
      alarmName: `${tier}-${gateway}-${id}`,
      alarmDescription: `${impact} Look first at ${lookAt}`,
      metric,
      evaluationPeriods: periods,
      ...(needsData
        ? {
            threshold: 1,
            comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
            treatMissingData: TreatMissingData.MISSING,
          }
        : {
            threshold,
            comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treatMissingData: TreatMissingData.NOT_BREACHING,
          }),
    });
    if (topic) {
      const action = new SnsAction(topic);
      alarm.addAlarmAction(action);
      // The work of a ticket is not done when its alarm ends.
      if (tier === 'page') alarm.addOkAction(action);
      if (needsData) alarm.addInsufficientDataAction(action);
    }
    return [id, alarm];
  });
  return new Map(alarms);
}

/** Returns every alarm of a gateway by its name. The name is a heading in docs/alarms.md. */
function alarmSpecs(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  const throttles = metrics.throttles();
  const schedules = metrics.schedules('rate', Duration.minutes(5));
  const daily = metrics.schedules('cron', Duration.days(1));
  return {
    ServerErrors: {
      tier: 'page',
      impact: 'Callers get 500 to 504, because a function does not start or does not answer.',
      lookAt:
        'the access log for the route with these statuses, then the log of its function for a timeout, and ClaimedConcurrency.',
      metric: metrics.unreportedErrors(),
      threshold: 5,
    },
    SlowRequests: {
      tier: 'page',
      impact: 'Requests are slow: one of twenty takes ten seconds or longer, although few fail.',
      lookAt:
        'the saved query “slowest requests”: whether the time goes into one route, one company or the authorizer.',
      metric: metrics.slowness(),
      threshold: SLOW_MS,
      periods: 3,
    },
    ClaimedConcurrency: {
      tier: 'ticket',
      impact:
        'The account’s quota of concurrent executions is nearly used up. Once it is used up, Lambda refuses to start functions: requests end in 500, and background work waits.',
      lookAt:
        'the concurrency of the functions of this account and region in the Lambda console. Functions of other stacks and reserved concurrency count too.',
      metric: metrics.claimedConcurrency(),
      threshold: CLAIMED_PERCENT,
      periods: 3,
    },
    ...(throttles && {
      Throttles: {
        tier: 'ticket',
        impact: 'Lambda refuses to start a function, because its reserved concurrency is used up: requests end in 500.',
        lookAt: 'the dashboard, for the function that is throttled, then its entry in the setting reservedConcurrency.',
        metric: throttles,
      },
    }),
    TableThrottles: {
      tier: 'ticket',
      impact: 'Requests are slower, because DynamoDB throttles a table. If some end in 503, PageAlerts starts too.',
      lookAt:
        'the access log for one company with most of the requests, then the table’s metrics by operation and the account’s quota of capacity.',
      metric: metrics.tableThrottles(),
      periods: 2,
    },
    PageAlerts: {
      tier: 'page',
      impact: 'Segue’s log has alerts about what users lose now.',
      lookAt: ALERTS,
      metric: metrics.alertPoints('PageAlerts'),
      threshold: ALARM_POINTS,
    },
    ...(schedules && {
      SchedulesStopped: {
        tier: 'page',
        impact:
          'Lambda no longer runs a scheduled function or publishEvents. Failed work is not retried, or no event is published.',
        lookAt:
          'the rules of the stack in the EventBridge console, for one that is disabled or was deleted, then the trigger of publishEvents in the Lambda console.',
        metric: schedules,
        threshold: 'no data',
        periods: 3,
      },
    }),
    TicketAlerts: {
      tier: 'ticket',
      impact: 'Segue’s log has new alerts about work that failed, dead letters, or a key that may be stolen.',
      lookAt: ALERTS,
      metric: metrics.alertPoints('TicketAlerts'),
      threshold: ALARM_POINTS,
    },
    LastingAlerts: {
      tier: 'ticket',
      impact: 'Segue’s log has alerts about work that waits, or about wrong signatures.',
      lookAt: ALERTS,
      metric: metrics.alertPoints('LastingAlerts'),
      threshold: ALARM_POINTS,
    },
    DeadLetters: {
      tier: 'ticket',
      impact: 'Calls of a function by a stream or by the queue of jobs failed at every attempt.',
      lookAt: 'the messages in the dead-letter queues of the stack: each names its function and the error.',
      metric: metrics.deadLetters(),
    },
    ...(daily && {
      AuditStopped: {
        tier: 'ticket',
        impact: 'The daily audit is no longer invoked, so nobody learns of stray projects.',
        lookAt: 'the rule of audit in the EventBridge console, whether it is disabled.',
        metric: daily,
        threshold: 'no data',
      },
    }),
  };
}
