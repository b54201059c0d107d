import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import type { FunctionName } from '../functions/catalogue.ts';
import type { FunctionGroup } from '../functions/function-groups.ts';
import type { Watched } from './metrics.ts';

/** An alarm, in the words of whoever it wakes. */
export interface AlarmSpec {
  /** Its name here, and its entry in docs/operations.md. */
  readonly id: string;
  /** What is lost, and by whom, as long as it lasts. */
  readonly loses: string;
  /** The first thing to look at. */
  readonly look: string;
  readonly metric: IMetric;
  /** What is too much in the metric's period: five minutes, or a day. */
  readonly threshold: number;
  /** For so many periods in a row; once unless given. */
  readonly periods?: number;
  /** Whether hearing nothing is as bad, once something was heard: it then has insufficient data, and says so. */
  readonly isSilenceBad?: true;
}

const MINUTE_MS = 60_000;

/** What is lost when the functions of a group fail. */
const LOSSES: Record<FunctionGroup, string> = {
  Projects: 'Requests about projects end in 500, and callers cannot tell what became of some of them.',
  Credentials:
    'Companies with good credentials are not let in, or will not be in an hour: their requests end in 500 or 503.',
  Webhooks: 'Messages of webhooks end in 500: their senders send them again, for some days.',
  Pages:
    'The list of languages, the pages of the problem types, the description of the API or the health check are not there.',
  Tasks: 'Workflows fail at creating or deleting projects.',
  Background:
    'Nothing at once. Then bytes of deleted projects stay, operations stay open, messages of webhooks wait, events do not come, or signing keys grow old, whichever function it is.',
};
const GROUPS = [
  'Projects',
  'Credentials',
  'Webhooks',
  'Pages',
  'Tasks',
  'Background',
] as const satisfies readonly FunctionGroup[];

/** Every alarm of a service. */
export function alarmsOf(watched: Watched): AlarmSpec[] {
  return [
    {
      id: 'ServerErrors',
      loses: 'Callers get 500 to 504 where they should get an answer.',
      look: 'the access log, or the dashboard, for the route with these statuses; then the log of its function for lines with level error.',
      metric: watched.serverErrors,
      threshold: 5,
    },
    ...GROUPS.flatMap((group) => ofGroup(group, watched)),
    ...ofCredentials(watched),
    ...ofService(watched),
    {
      id: 'TableThrottles',
      loses: 'Requests are slow or end in 503, as the table takes no more.',
      look: 'one company asking for most of it, in the access log; then the table’s metrics by operation, and the account’s quota of capacity.',
      metric: watched.tableThrottles(),
      threshold: 1,
      periods: 2,
    },
    {
      id: 'TableErrors',
      loses: 'Requests end in 503 or 504, as DynamoDB fails.',
      look: 'the AWS Health Dashboard, for DynamoDB in this region.',
      metric: watched.tableErrors(),
      threshold: 5,
    },
    ...ofSweeping(watched),
    ...ofSettling(watched),
    ...ofPublishing(watched),
    ...ofReceiving(watched),
    ...ofDelivering(watched),
    ...ofBulk(watched),
  ];
}

function ofGroup(group: FunctionGroup, watched: Watched): AlarmSpec[] {
  const names = watched.namesOf(group).join(', ');
  return [
    {
      id: `${group}Errors`,
      loses: LOSSES[group],
      look: `the logs of ${names}: lines with level error, and functions that timed out or were out of memory.`,
      metric: watched.errorsOf(group),
      threshold: group === 'Background' ? 1 : 3,
    },
    {
      id: `${group}Throttles`,
      loses: LOSSES[group],
      look: `the quota of concurrent executions of the account, which a new one has at 10, and reservedConcurrency of ${names}.`,
      metric: watched.throttlesOf(group),
      threshold: 1,
    },
  ];
}

function ofCredentials(watched: Watched): AlarmSpec[] {
  return [
    {
      id: 'RefreshTokenReused',
      loses:
        'A refresh token was used twice: somebody may have stolen it, or a client sent it again without an Idempotency-Key. Its sign-in has ended.',
      look: 'the lines of refreshToken with operation refreshTokenReused: the company, the key and the family of tokens.',
      metric: watched.reusedTokens(),
      threshold: 1,
    },
  ];
}

function ofService(watched: Watched): AlarmSpec[] {
  const common = { metric: watched.unusable, threshold: 3 };
  if (watched.service === 'hosted') {
    return [
      {
        id: 'StoreUnusable',
        loses: 'Projects cannot be created, read or deleted, or nobody can say whether they were.',
        look: 'field cause of the functions’ lines with problem unavailable or outcome-unknown; then the table’s and the bucket’s state.',
        ...common,
      },
    ];
  }
  return [
    {
      id: 'UpstreamUnusable',
      loses:
        'No project can be created, read or deleted: the service behind Segue refuses its credentials, or cannot be reached.',
      look: 'UpstreamLockedOut and UpstreamHeldBack; where both are quiet, field cause of the functions’ lines, and that service’s own state.',
      ...common,
    },
    {
      id: 'UpstreamLockedOut',
      loses:
        'No company that shares the refused account can create, read or delete a project, until the secret is right.',
      look: 'the upstream secret, which has to hold the company id and API key that the service takes now.',
      metric: watched.lockedOut(),
      threshold: 1,
    },
    {
      id: 'UpstreamHeldBack',
      loses: 'Requests are turned away with 503 and a time to come back, so that a service in trouble is left alone.',
      look: 'that service’s own state; then reservedConcurrency, where it says that it is asked too often.',
      metric: watched.heldBack(),
      threshold: 10,
      periods: 2,
    },
  ];
}

function ofSweeping(watched: Watched): AlarmSpec[] {
  const { sweeping } = watched;
  if (!sweeping) return [];
  return [
    {
      id: 'SweeperBacklog',
      loses:
        'Nothing that can be read, but bytes of deleted projects are still in the bucket three quarters of an hour later.',
      look: 'the log of sweeper: whether it runs every five minutes, and what left and problem say.',
      metric: watched.oldestLeftBy('sweeper'),
      threshold: 30 * MINUTE_MS,
      periods: 3,
      isSilenceBad: true,
    },
    ofStream('SweeperLag', 'Bytes of deleted projects stay until the schedule finds them.', watched, 'sweeper'),
    ofLetters(
      'SweeperLetters',
      'Nothing: what the stream could not have swept, the schedule sweeps.',
      sweeping.stream.deadLetters,
      'SweeperBacklog; where that is quiet, the log of sweeper at the time of the message, then purge the queue.',
    ),
    ofLetters(
      'ScheduleLetters',
      'A run of the sweeper was missed or failed; the next is five minutes later.',
      sweeping.schedule.deadLetters,
      'the attributes ERROR_CODE and ERROR_MESSAGE of the message: the sweeper is throttled, or may not be called; where it has none, the log of sweeper.',
    ),
  ];
}

function ofSettling(watched: Watched): AlarmSpec[] {
  const { settling } = watched;
  if (!settling) return [];
  return [
    {
      id: 'OperationsOpen',
      loses:
        'Callers who were told to wait are told so still, a quarter of an hour later: nobody can say what became of their requests.',
      look: 'the log of reconciler: whether it runs every minute, and what left and problem say; then the state of the service behind Segue.',
      metric: watched.oldestLeftBy('reconciler'),
      threshold: 15 * MINUTE_MS,
      periods: 2,
      isSilenceBad: true,
    },
    {
      id: 'OperationsGivenUp',
      loses: 'The outcome of a request will never be known. Every lookup failed until the key expired.',
      look: 'the log of reconciler: when givenUp was above 0; then the audit, which names a project that was made all the same.',
      metric: watched.givenUp(),
      threshold: 1,
    },
    ofLetters(
      'ReconcilerLetters',
      'A run of the reconciler was missed; the next is a minute later.',
      settling.reconciliation.deadLetters,
      'the attributes ERROR_CODE and ERROR_MESSAGE of the message: the reconciler is throttled, or may not be called.',
    ),
    {
      id: 'Strays',
      loses: 'Somebody pays for a project that nobody can read or delete through Segue, or a company has lost one.',
      look: 'what npm run segue -- audit with the stack’s name says: the projects by company and id.',
      metric: watched.strays(),
      threshold: 1,
    },
    ofLetters(
      'AuditLetters',
      'The audit was missed for a day.',
      settling.audit.deadLetters,
      'the log of audit at the time of the message; then the attributes ERROR_CODE and ERROR_MESSAGE of the message.',
    ),
  ];
}

function ofPublishing(watched: Watched): AlarmSpec[] {
  const { publishing } = watched;
  return [
    ofStream(
      'EventsLag',
      'Who listens to events hears late of projects, and after a day not at all.',
      watched,
      'publishEvents',
    ),
    ofLetters(
      'EventLetters',
      'Who listens to events has not heard of some projects.',
      publishing.deadLetters,
      `the log of publishEvents at the time of the message; the records are in the table for ${RETENTIONS.event.days} days, under event/.`,
    ),
  ];
}

function ofReceiving(watched: Watched): AlarmSpec[] {
  return [
    {
      id: 'WebhooksUnusable',
      loses: 'Messages of webhooks are not taken in: their senders send them again, for some days, and then give up.',
      look: 'field cause of the lines of receiveWebhook with problem unavailable or outcome-unknown: whether it is a secret or a table that cannot be used.',
      metric: watched.webhooksUnusable(),
      threshold: 3,
    },
    {
      id: 'InvalidSignatures',
      loses:
        'Nothing where somebody tries what he may not. Otherwise all that a source’s sender has to say is refused until one of the two has the other’s secret, or the right time.',
      look: 'field source of the lines of receiveWebhook with problem invalid-signature: where it is one source that used to be heard, its secret was changed at one end.',
      metric: watched.invalidSignatures(),
      threshold: 20,
      periods: 2,
    },
  ];
}

function ofDelivering(watched: Watched): AlarmSpec[] {
  const { stream, schedule } = watched.delivering;
  return [
    {
      id: 'DeadDeliveries',
      loses: 'What somebody’s content system asked for was not done, and nobody has told him.',
      look: 'what npm run segue -- dead-letters list with the stack’s name says: the messages by source, with their problems.',
      metric: watched.deadDeliveries(),
      threshold: 1,
    },
    {
      id: 'DeliveriesBacklog',
      loses: 'What content systems asked for was not begun a quarter of an hour later.',
      look: 'the log of deliveries: whether it runs every minute, and what left and problem say.',
      metric: watched.oldestLeftBy('deliveries'),
      threshold: 10 * MINUTE_MS,
      periods: 2,
      isSilenceBad: true,
    },
    ofStream('DeliveriesLag', 'Messages of webhooks wait until the schedule finds them.', watched, 'deliveries'),
    ofLetters(
      'DeliveryLetters',
      'Nothing: what the stream could not have worked on, the schedule does.',
      stream.deadLetters,
      'DeliveriesBacklog; where that is quiet, the log of deliveries at the time of the message, then purge the queue.',
    ),
    ofLetters(
      'DeliveryScheduleLetters',
      'A run of deliveries was missed or failed; the next is a minute later.',
      schedule.deadLetters,
      'the attributes ERROR_CODE and ERROR_MESSAGE of the message: deliveries is throttled, or may not be called; where it has none, its log.',
    ),
  ];
}

function ofBulk(watched: Watched): AlarmSpec[] {
  if (watched.bulk.length === 0) return [];
  return [
    {
      id: 'BulkFailed',
      loses: 'A company’s manifest was not carried out to its end, or not at all.',
      look: 'the execution that failed, in the console of Step Functions: its Prepare state says what is wrong with the manifest, its map run which lines failed.',
      metric: watched.bulkFailures(),
      threshold: 1,
    },
  ];
}

function ofStream(id: string, loses: string, watched: Watched, name: FunctionName): AlarmSpec {
  const look = `the log of ${name} for the same failure again and again, and its throttles.`;
  return { id, loses, look, metric: watched.iteratorAgeOf(name), threshold: 10 * MINUTE_MS, periods: 2 };
}

function ofLetters(id: string, loses: string, queue: IQueue, look: string): AlarmSpec {
  return { id, loses, look, metric: queue.metricApproximateNumberOfMessagesVisible(), threshold: 1 };
}
