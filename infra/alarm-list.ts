import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { FunctionGroup } from './function-groups.ts';
import type { Watched } from './watched.ts';

/** An alarm, in the words of whoever it wakes. */
export interface AlarmSpec {
  /** Its name here, and its entry in docs/operations.md. */
  readonly id: string;
  /** What is lost, and by whom, as long as it lasts. */
  readonly loses: string;
  /** The first thing to look at. */
  readonly look: string;
  readonly metric: IMetric;
  /** What is too much in five minutes. */
  readonly threshold: number;
  /** For so many times five minutes in a row; once unless given. */
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
  Pages: 'The list of languages, the pages of the problem types or the health check are not there.',
  Tasks: 'Workflows fail at creating or deleting projects.',
  Background:
    'Nothing at once. Then bytes of deleted projects stay, events do not come, or signing keys grow old, whichever function it is.',
};
const GROUPS = ['Projects', 'Credentials', 'Pages', 'Tasks', 'Background'] as const satisfies readonly FunctionGroup[];

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
    ofService(watched),
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
    ...ofPublishing(watched),
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

function ofService({ service, unusable }: Watched): AlarmSpec {
  const common = { metric: unusable, threshold: 3 };
  if (service === 'hosted') {
    return {
      id: 'StoreUnusable',
      loses: 'Projects cannot be created, read or deleted, or nobody can say whether they were.',
      look: 'field cause of the functions’ lines with problem unavailable or outcome-unknown; then the table’s and the bucket’s state.',
      ...common,
    };
  }
  return {
    id: 'UpstreamUnusable',
    loses:
      'No project can be created, read or deleted: the service behind Segue refuses its credentials, or cannot be reached.',
    look: 'the upstream secret, which has to hold what the service takes now; then that service’s own state.',
    ...common,
  };
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
      metric: watched.backlog(),
      threshold: 30 * MINUTE_MS,
      periods: 3,
      isSilenceBad: true,
    },
    ofStream('SweeperLag', 'Bytes of deleted projects stay until the schedule finds them.', watched, 'sweeper'),
    ofLetters(
      'SweeperLetters',
      'Nothing: what the stream could not have swept, the schedule sweeps.',
      sweeping.streamLetters,
      'SweeperBacklog; where that is quiet, the log of sweeper at the time of the message, then purge the queue.',
    ),
    ofLetters(
      'ScheduleLetters',
      'A run of the sweeper was missed or failed; the next is five minutes later.',
      sweeping.scheduleLetters,
      'the attributes ERROR_CODE and ERROR_MESSAGE of the message: the sweeper is throttled, or may not be called; where it has none, the log of sweeper.',
    ),
  ];
}

function ofPublishing(watched: Watched): AlarmSpec[] {
  const { publishing } = watched;
  if (!publishing) return [];
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
      'the log of publishEvents at the time of the message; the records are in the table for three days, under event/.',
    ),
  ];
}

function ofStream(id: string, loses: string, watched: Watched, name: 'sweeper' | 'publishEvents'): AlarmSpec {
  const look = `the log of ${name} for the same failure again and again, and its throttles.`;
  return { id, loses, look, metric: watched.iteratorAgeOf(name), threshold: 10 * MINUTE_MS, periods: 2 };
}

function ofLetters(id: string, loses: string, queue: IQueue, look: string): AlarmSpec {
  return { id, loses, look, metric: queue.metricApproximateNumberOfMessagesVisible(), threshold: 1 };
}
