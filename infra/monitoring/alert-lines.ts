import { ALARM_POINTS, ALERT_ALARMS, type AlertAlarm } from '../../lib/contract/alerts.ts';
import type { FunctionLog } from '../functions/function-spec.ts';

/** Log lines that an alarm of alerts counts. */
export interface CountedLines {
  /** The name of the lines, unique for their alarm and log. */
  readonly name: string;
  readonly alarm: AlertAlarm;
  /** The filter pattern that selects the lines, in the syntax of CloudWatch. */
  readonly pattern: string;
  /** The points of a line: a number, or the field that holds the number. */
  readonly points: string;
}

/** The lines of Lambda when it ends a function that has not answered. */
const ENDED = '?"Task timed out" ?"Runtime exited" ?"Uncaught Exception"';

/**
 * The lines of failures that only the code of a function explains: errors that it does not expect, and ends by Lambda.
 * Each log needs a filter of its own. So one pattern matches both kinds as text.
 */
export const BROKEN = `?"internal-error" ${ENDED}`;

/**
 * The lines to count in the logs of functions: their alerts, and the ends by Lambda. If a function behind the API ends,
 * API Gateway answers, and the alarm of server errors counts the answer.
 */
export const COUNTED_LINES: Readonly<Record<FunctionLog, readonly CountedLines[]>> = {
  Http: ALERT_ALARMS.map(alertsOf),
  Tasks: [
    alertsOf('PageAlerts'),
    // A task also throws for invalid requests. Three ends start the alarm, like three alerts of failed requests.
    { name: 'Ended', alarm: 'PageAlerts', pattern: ENDED, points: String(Math.ceil(ALARM_POINTS / 3)) },
  ],
  Background: [
    ...ALERT_ALARMS.map(alertsOf),
    { name: 'Ended', alarm: 'TicketAlerts', pattern: `${ENDED} ?"Invoke Error"`, points: String(ALARM_POINTS) },
  ],
};

function alertsOf(alarm: AlertAlarm): CountedLines {
  return { name: 'Alerts', alarm, pattern: `{ $.alarm = "${alarm}" }`, points: '$.points' };
}

/**
 * The lines in the log of the functions behind the API that stand for an answer of 500 or above. Each is an alert, unless
 * the contract requires the answer. The authorizer throws, and API Gateway answers.
 */
export const REPORTED_ERRORS = '{ ($.status >= 500) || (($.operation = "authorizer") && ($.alarm = "PageAlerts")) }';

/**
 * The lines of Step Functions for a bulk run that failed or exceeded its time limit. The lines of a manifest are
 * executions too. Their failures are results of the run, and are not counted: in their ARNs, `express` or a slash is
 * where the pattern has the name of the machine.
 */
export const FAILED_RUNS: CountedLines = {
  name: 'Failed',
  alarm: 'TicketAlerts',
  pattern:
    '{ (($.type = "ExecutionFailed") || ($.type = "ExecutionTimedOut")) && ($.execution_arn = %:execution:[A-Za-z0-9_-]+:%) }',
  points: String(ALARM_POINTS),
};
