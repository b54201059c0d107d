import { ALARM_POINTS, type AlertAlarm } from '../../lib/contract/alerts.ts';
import type { AlarmGroup } from '../functions/function-spec.ts';

/** Log lines that an alarm of alerts counts. */
export interface CountedLines {
  readonly alarm: AlertAlarm;
  /** The filter pattern that selects the lines, in the syntax of CloudWatch. */
  readonly pattern: string;
  /** The points of a line: a number, or the field that holds the number. */
  readonly points: string;
}

/** The alarms of the alerts that the functions of a group log. */
const ALARMS_OF: Record<AlarmGroup, readonly AlertAlarm[]> = {
  ChangeProjects: ['PageAlerts'],
  ReadProjects: ['PageAlerts'],
  Events: ['PageAlerts'],
  Authorizer: ['PageAlerts'],
  Tokens: ['PageAlerts', 'TicketAlerts'],
  ReceiveWebhook: ['PageAlerts', 'LastingAlerts'],
  Pages: ['PageAlerts'],
  Tasks: ['PageAlerts'],
  Background: ['PageAlerts', 'TicketAlerts', 'LastingAlerts'],
};

/** The lines of Lambda when it ends a function that has not answered. */
const ENDED = '?"Task timed out" ?"Runtime exited" ?"Uncaught Exception"';

/**
 * The lines of failures that only the code of a function explains: errors that it does not expect, and ends by Lambda.
 * Each log needs a filter of its own. So one pattern matches both kinds as text.
 */
export const BROKEN = `?"internal-error" ${ENDED}`;

/**
 * Returns the lines to count in the logs of a group's functions: their alerts, and the ends by Lambda. If a function
 * behind the API ends, API Gateway answers, and the alarm of server errors counts the answer.
 */
export function countedLines(group: AlarmGroup): CountedLines[] {
  const alerts = ALARMS_OF[group].map((alarm) => ({
    alarm,
    pattern: `{ $.alarm = "${alarm}" }`,
    points: '$.points',
  }));
  if (group === 'Background') {
    return [...alerts, { alarm: 'TicketAlerts', pattern: `${ENDED} ?"Invoke Error"`, points: String(ALARM_POINTS) }];
  }
  // A task also throws for invalid requests. Three ends start the alarm, like three alerts of failed requests.
  const ended = { alarm: 'PageAlerts', pattern: ENDED, points: String(Math.ceil(ALARM_POINTS / 3)) } as const;
  return group === 'Tasks' ? [...alerts, ended] : alerts;
}

/**
 * Returns the pattern of the lines that stand for an answer of 500 or above in the logs of a group's functions;
 * `undefined` if the functions are not behind the API. Each such line is an alert, unless the contract requires the
 * answer.
 */
export function reportedErrors(group: AlarmGroup): string | undefined {
  if (group === 'Tasks' || group === 'Background') return undefined;
  // The authorizer throws, and API Gateway answers.
  return group === 'Authorizer'
    ? '{ ($.operation = "authorizer") && ($.alarm = "PageAlerts") }'
    : '{ $.status >= 500 }';
}

/**
 * The lines of Step Functions for a bulk run that failed or exceeded its time limit. The lines of a manifest are
 * executions too. Their failures are results of the run, and are not counted: in their ARNs, `express` or a slash is
 * where the pattern has the name of the machine.
 */
export const FAILED_RUNS: CountedLines = {
  alarm: 'TicketAlerts',
  pattern:
    '{ (($.type = "ExecutionFailed") || ($.type = "ExecutionTimedOut")) && ($.execution_arn = %:execution:[A-Za-z0-9_-]+:%) }',
  points: String(ALARM_POINTS),
};
