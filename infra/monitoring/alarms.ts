import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { ALARM_GROUPS, type AlarmGroup, type FunctionName } from '../functions/catalogue.ts';
import type { GatewayMetrics } from './metrics.ts';

/** An alarm of a gateway. The alarm's description consists of `impact` and `lookAt`. */
interface AlarmSpec {
  /** What users lose until the alarm ends. */
  readonly impact: string;
  /** What the operator should look at first. */
  readonly lookAt: string;
  readonly metric: IMetric;
  /** The value of the metric from which on a period counts. Default: 1. */
  readonly threshold?: number;
  /** How many consecutive periods must reach the threshold. Default: 1. */
  readonly periods?: number;
  /** Whether the topic is also notified if the metric has no data, because a scheduled function no longer runs. */
  readonly notifiesOfMissingData?: true;
}

const MINUTE_MS = 60_000;

/** What users lose when a function of an alarm group fails. */
const GROUP_IMPACT: Record<AlarmGroup, string> = {
  ChangeProjects:
    'Creations, deletions and writes of translations end in 500, and callers do not know the outcome of some of them.',
  ReadProjects: 'Requests to read a project, a list of projects or an operation end in 500.',
  Events: 'Requests to read events end in 500.',
  Authorizer:
    'Requests with valid credentials fail with 500 or 503. Or they will start to fail within an hour, when the cached signing keys expire.',
  Tokens:
    'Sign-ins and refreshes with valid credentials fail with 500 or 503. Or they will start to fail within an hour, when the cached signing keys expire.',
  ReceiveWebhook: 'Webhook messages end in 500. Their senders retry for some days.',
  Pages:
    'Requests for public pages end in 500: the list of languages, the problem pages, the description of the API, the health check, and the console if the stack has it.',
  Tasks: 'Workflows fail to create, delete or follow projects.',
  Background:
    'No immediate effect. The later effect depends on the Lambda function that fails. Payloads of deleted projects may remain. Operations may stay open. Webhook deliveries and translations may wait, or events be missing. The daily audit may not run, or signing keys may not be rotated.',
};

/**
 * Creates the alarms of a gateway.
 * @param topic is notified when an alarm starts and when it ends; without a topic, nobody is notified
 */
export function createAlarms(scope: Construct, metrics: GatewayMetrics, topic: ITopic | undefined): Alarm[] {
  return Object.entries(alarmSpecs(metrics)).map(([id, spec]) => {
    const { impact, lookAt, metric, threshold = 1, periods = 1, notifiesOfMissingData } = spec;
    const alarm = new Alarm(scope, id, {
      alarmDescription: `${impact} Look first at ${lookAt}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: notifiesOfMissingData ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    });
    if (topic) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
      if (notifiesOfMissingData) alarm.addInsufficientDataAction(new SnsAction(topic));
    }
    return alarm;
  });
}

/** Returns every alarm of a gateway by its name. The name is a heading in docs/alarms.md. */
function alarmSpecs(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  const isHosted = metrics.service === 'hosted';
  return {
    ServerErrors: {
      impact: 'Callers get 500 to 504 instead of a result.',
      lookAt:
        'the access log or the dashboard for the route with these statuses, then the log of its function for lines with level error.',
      metric: metrics.serverErrors(),
      threshold: 5,
    },
    ...Object.fromEntries(ALARM_GROUPS.flatMap((group) => Object.entries(groupAlarms(group, metrics)))),
    RefreshTokenReused: {
      impact:
        'A refresh token was used twice: it may be stolen, or a client retried without an Idempotency-Key. Segue has revoked all tokens of the same sign-in.',
      lookAt: 'the log lines of the tokens function with operation refreshTokenReused: company, key and token family.',
      metric: metrics.logged('ReusedTokens'),
    },
    ...(isHosted ? hostedAlarms(metrics) : upstreamAlarms(metrics)),
    TableThrottles: {
      impact: 'Requests are slow or end in 503, because DynamoDB throttles a table.',
      lookAt:
        'the access log for one company with most of the requests, then the table’s metrics by operation and the account’s quota of capacity.',
      metric: metrics.tableThrottles(),
      periods: 2,
    },
    TableErrors: {
      impact: 'Requests end in 503 or 504, because DynamoDB fails.',
      lookAt: 'the AWS Health Dashboard, for DynamoDB in this region.',
      metric: metrics.tableErrors(),
      threshold: 5,
    },
    EventsLag: streamLag('Events arrive late; after 24 hours they are lost.', metrics, 'publishEvents'),
    EventLetters: {
      impact: 'Some events were not published.',
      lookAt: `the log of publishEvents at the time of the message. The events are in the table for ${RETENTIONS.event.days} days, under event/.`,
      metric: metrics.deadLetters('publishEvents', 'stream'),
    },
    ...(isHosted && { ...eventAlarms(metrics), ...jobAlarms(metrics) }),
    ...webhookAlarms(metrics),
    ...(metrics.bulkMachines.length > 0 && bulkAlarm(metrics)),
  };
}

function groupAlarms(group: AlarmGroup, metrics: GatewayMetrics): Record<string, AlarmSpec> {
  const names = metrics.functions
    .inGroup(group)
    .map(({ entry }) => entry.name)
    .join(', ');
  const impact = GROUP_IMPACT[group];
  return {
    [`${group}Errors`]: {
      impact,
      lookAt: `the logs of ${names}: lines with level error, timeouts, and functions out of memory.`,
      metric: metrics.errors(group),
      threshold: group === 'Background' ? 1 : 3,
    },
    [`${group}Throttles`]: {
      impact,
      lookAt: `the account’s quota of concurrent executions, which is 10 for a new account, and reservedConcurrency of ${names}.`,
      metric: metrics.throttles(group),
    },
  };
}

function hostedAlarms(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  return {
    StoreUnusable: {
      impact: 'Projects cannot be created, read or deleted, or the outcome of these requests is unknown.',
      lookAt:
        'the field cause in the functions’ log lines with problem unavailable or outcome-unknown, then the state of the table and the bucket.',
      metric: metrics.serviceUnusable(),
      threshold: 3,
    },
    SweeperBacklog: {
      impact: 'Payloads of deleted projects are still in the bucket after 45 minutes. No request can read them.',
      lookAt: 'the log of sweeper: whether it runs every five minutes, and fields left and problem.',
      metric: metrics.logged('OldestSwept'),
      threshold: 30 * MINUTE_MS,
      periods: 3,
      notifiesOfMissingData: true,
    },
    SweeperLag: streamLag(
      'Payloads of deleted projects remain until a scheduled run of the sweeper removes them.',
      metrics,
      'sweeper',
    ),
    SweeperLetters: streamLetters(
      'No effect on users: the sweeper did not process some records of its stream. Its scheduled runs remove those payloads.',
      'SweeperBacklog',
      metrics,
      'sweeper',
    ),
    ScheduleLetters: scheduleLetters(
      'A run of the sweeper failed or did not start. The next is five minutes later.',
      metrics,
      'sweeper',
    ),
  };
}

function upstreamAlarms(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  return {
    UpstreamUnusable: {
      impact:
        'Nobody can create, read or delete projects. Segue cannot reach the upstream service, or the service refuses Segue’s credentials.',
      lookAt:
        'the alarms UpstreamLockedOut and UpstreamHeldBack. If both are quiet, look at the field cause in the functions’ log lines, and at the state of the upstream service.',
      metric: metrics.serviceUnusable(),
      threshold: 3,
    },
    UpstreamLockedOut: {
      impact:
        'The upstream service rejects Segue’s credentials for an account. No company that uses this account can create, read or delete a project.',
      lookAt: 'the upstream secret, which must hold a company id and an API key that the service accepts.',
      metric: metrics.logged('LockedOut'),
    },
    UpstreamHeldBack: {
      impact:
        'Requests end in 503 with a Retry-After. Segue does not send them on, because the upstream service failed many times in a row or asked for a pause.',
      lookAt: 'the state of the upstream service, then reservedConcurrency, if the service reports too many requests.',
      metric: metrics.logged('HeldBack'),
      threshold: 10,
      periods: 2,
    },
    OperationsOpen: {
      impact: 'Operations have been running for 15 minutes, and nobody knows their outcome.',
      lookAt:
        'the log of reconciler: whether it runs every minute, and fields left and problem. Then the state of the upstream service.',
      metric: metrics.logged('OldestOpen'),
      threshold: 15 * MINUTE_MS,
      periods: 2,
      notifiesOfMissingData: true,
    },
    OperationsGivenUp: {
      impact:
        'Every lookup of a request’s outcome failed, and meanwhile the idempotency key of the request expired. So the outcome can no longer be found.',
      lookAt:
        'the log of reconciler for givenUp above 0, then the audit, which names a project that was created anyway.',
      metric: metrics.logged('GivenUp'),
    },
    ReconcilerLetters: scheduleLetters(
      'A run of the reconciler failed or did not start. The next is a minute later.',
      metrics,
      'reconciler',
    ),
    Strays: {
      impact:
        'The upstream service has a project that costs money, but nobody can read or delete it through Segue. Or the service no longer has a project that a company owns.',
      lookAt: 'the output of npx --no-install segue audit with the stack’s name: the projects by company and id.',
      metric: metrics.strayProjects(),
    },
    AuditLetters: scheduleLetters('The daily audit did not run.', metrics, 'audit'),
  };
}

function eventAlarms(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  return {
    FailedEvents: {
      impact:
        'A partner’s receiver did not accept some events within three days, or answered 410. The events are in the feed.',
      lookAt:
        'the output of npx --no-install segue events list with the stack’s name: the events by company, with their failures. The partner must correct the receiver.',
      metric: metrics.logged('FailedEvents'),
    },
    SendBacklog: {
      impact: 'Events that are due have not been sent for 15 minutes.',
      lookAt: 'the log of sendEvents: whether it runs every minute, and fields left and problem.',
      metric: metrics.logged('OldestEvent'),
      threshold: 10 * MINUTE_MS,
      periods: 2,
      notifiesOfMissingData: true,
    },
    SendLag: streamLag(
      'Events wait until a scheduled run of the sendEvents function sends them.',
      metrics,
      'sendEvents',
    ),
    SendLetters: streamLetters(
      'No effect on users: the sendEvents function did not process some records of its stream. Its scheduled runs send those events.',
      'SendBacklog',
      metrics,
      'sendEvents',
    ),
    SendScheduleLetters: scheduleLetters(
      'A run of the sendEvents function failed or did not start. The next run is a minute later.',
      metrics,
      'sendEvents',
    ),
  };
}

function jobAlarms(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  return {
    JobsBacklog: {
      impact: 'Automatic translations and other work on projects have waited for 15 minutes.',
      lookAt:
        'the log of jobs: whether it runs every minute, and fields left and problem. Many large projects of one company can also cause this alarm.',
      metric: metrics.logged('OldestJob'),
      threshold: 10 * MINUTE_MS,
      periods: 2,
      notifiesOfMissingData: true,
    },
    JobLetters: {
      impact:
        'No effect on users: the jobs function did not process some messages of its queue. Its scheduled runs do this work.',
      lookAt: 'JobsBacklog. If it is quiet, look at the log of jobs at the time of the message, then purge the queue.',
      metric: metrics.deadLetters('jobs', 'queue'),
    },
    JobScheduleLetters: scheduleLetters(
      'A run of the jobs function failed or did not start. The next run is a minute later.',
      metrics,
      'jobs',
    ),
  };
}

function webhookAlarms(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  return {
    WebhooksUnusable: {
      impact: 'Webhook messages are not received. Their senders retry for some days, then give up.',
      lookAt:
        'the field cause in the log lines of receiveWebhook with problem unavailable or outcome-unknown: it names the secret or the table.',
      metric: metrics.logged('WebhooksUnusable'),
      threshold: 3,
    },
    InvalidSignatures: {
      impact:
        'Segue rejects many webhook messages, because their signatures are wrong. If they come from an attacker, users are not affected. If a content system sends them, Segue rejects all its messages until both have the same secret and the right time.',
      lookAt:
        'the field source in the log lines of receiveWebhook with problem invalid-signature. If it is one source that worked before, its secret was changed on one side only.',
      metric: metrics.logged('InvalidSignatures'),
      threshold: 20,
      periods: 2,
    },
    DeadDeliveries: {
      impact: 'Requests of a content system were not carried out, and the content system does not know.',
      lookAt:
        'the output of npx --no-install segue dead-letters list with the stack’s name: the messages by source, with their problems.',
      metric: metrics.logged('DeadDeliveries'),
    },
    DeliveriesBacklog: {
      impact: 'Requests of content systems have waited for 15 minutes.',
      lookAt: 'the log of deliveries: whether it runs every minute, and fields left and problem.',
      metric: metrics.logged('OldestDelivery'),
      threshold: 10 * MINUTE_MS,
      periods: 2,
      notifiesOfMissingData: true,
    },
    DeliveriesLag: streamLag(
      'Webhook messages wait until a scheduled run of the deliveries function processes them.',
      metrics,
      'deliveries',
    ),
    DeliveryLetters: streamLetters(
      'No effect on users: the deliveries function did not process some records of its stream. Its scheduled runs process those messages.',
      'DeliveriesBacklog',
      metrics,
      'deliveries',
    ),
    DeliveryScheduleLetters: scheduleLetters(
      'A run of the deliveries function failed or did not start. The next run is a minute later.',
      metrics,
      'deliveries',
    ),
  };
}

function bulkAlarm(metrics: GatewayMetrics): Record<string, AlarmSpec> {
  return {
    BulkFailed: {
      impact: 'A manifest of a company was not carried out, or only in part.',
      lookAt:
        'the failed execution in the Step Functions console: its Prepare state reports errors in the manifest, its map run the failed lines.',
      metric: metrics.failedBulkRuns(),
    },
  };
}

/** Returns the alarm for a function that falls behind its stream. */
function streamLag(impact: string, metrics: GatewayMetrics, name: FunctionName): AlarmSpec {
  const lookAt = `the log of ${name} for a failure that repeats, and its throttles.`;
  return { impact, lookAt, metric: metrics.streamAgeMs(name), threshold: 10 * MINUTE_MS, periods: 2 };
}

/**
 * Returns the alarm for the dead letters of a function's stream, if the function's schedule repeats the failed work.
 * @param backlog the name of the alarm for work that the schedule leaves undone
 */
function streamLetters(impact: string, backlog: string, metrics: GatewayMetrics, name: FunctionName): AlarmSpec {
  const lookAt = `${backlog}. If it is quiet, look at the log of ${name} at the time of the message, then purge the queue.`;
  return { impact, lookAt, metric: metrics.deadLetters(name, 'stream') };
}

/** Returns the alarm for the dead letters of a function's schedule. */
function scheduleLetters(impact: string, metrics: GatewayMetrics, name: FunctionName): AlarmSpec {
  const lookAt = `the attributes ERROR_CODE and ERROR_MESSAGE of the message: ${name} is throttled, or EventBridge lacks the permission to call it. If it has none, look at the log of ${name}.`;
  return { impact, lookAt, metric: metrics.deadLetters(name, 'schedule') };
}
