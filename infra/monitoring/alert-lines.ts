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

/** Groups whose functions also throw for invalid requests. Only their own log lines tell failures apart. */
const THROWING: readonly AlarmGroup[] = ['Authorizer', 'Tasks'];

/** Returns the lines to count in the logs of a group's functions: their alerts, and the ends by Lambda. */
export function countedLines(group: AlarmGroup): CountedLines[] {
  const alerts = ALARMS_OF[group].map((alarm) => ({
    alarm,
    pattern: `{ $.alarm = "${alarm}" }`,
    points: '$.points',
  }));
  const pattern = THROWING.includes(group) ? ENDED : `${ENDED} ?"Invoke Error"`;
  const ended: CountedLines =
    group === 'Background'
      ? { alarm: 'TicketAlerts', pattern, points: String(ALARM_POINTS) }
      : // Three of these lines start the alarm, like three alerts of failed requests.
        { alarm: 'PageAlerts', pattern, points: String(Math.ceil(ALARM_POINTS / 3)) };
  return [...alerts, ended];
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
