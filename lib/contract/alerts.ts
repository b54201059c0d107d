/**
 * The alarms that count alert lines. Each counts the lines of five minutes. `PageAlerts` is about what users lose now,
 * the others about work for the next days. `LastingAlerts` has the alerts that can go on for days, so that they never
 * hide a new alert of `TicketAlerts`.
 */
export const ALERT_ALARMS = ['PageAlerts', 'TicketAlerts', 'LastingAlerts'] as const;
export type AlertAlarm = (typeof ALERT_ALARMS)[number];

/** The points at which the alarm of an alert starts. */
export const ALARM_POINTS = 100;

/** The points of a line, by how many lines in five minutes start the alarm. Points of different alerts add up. */
const POINTS = { one: 100, three: 34, five: 20, twenty: 5 } as const;

interface AlertEntry {
  /** The alarm that counts the lines of this alert. */
  readonly alarm: AlertAlarm;
  /** How much one line adds to the alarm, which starts at `ALARM_POINTS`. */
  readonly points: number;
}

/** Every alert: what the code logs if an operator must know. Each code is a heading in docs/alarms.md. */
export const ALERTS = {
  unavailable: { alarm: 'PageAlerts', points: POINTS.three },
  'outcome-unknown': { alarm: 'PageAlerts', points: POINTS.three },
  'upstream-locked-out': { alarm: 'PageAlerts', points: POINTS.one },
  'upstream-held-back': { alarm: 'PageAlerts', points: POINTS.three },
  'upstream-unusable': { alarm: 'PageAlerts', points: POINTS.three },
  'request-failed': { alarm: 'PageAlerts', points: POINTS.three },
  'stale-secret': { alarm: 'PageAlerts', points: POINTS.three },
  'table-failed': { alarm: 'PageAlerts', points: POINTS.five },
  'deliveries-waiting': { alarm: 'PageAlerts', points: POINTS.three },
  'events-waiting': { alarm: 'PageAlerts', points: POINTS.three },
  'results-waiting': { alarm: 'PageAlerts', points: POINTS.three },
  'events-late': { alarm: 'PageAlerts', points: POINTS.one },
  'canary-failed': { alarm: 'PageAlerts', points: POINTS.one },
  'run-failed': { alarm: 'TicketAlerts', points: POINTS.one },
  'token-reused': { alarm: 'TicketAlerts', points: POINTS.one },
  'dead-deliveries': { alarm: 'TicketAlerts', points: POINTS.one },
  'failed-events': { alarm: 'TicketAlerts', points: POINTS.one },
  'failed-results': { alarm: 'TicketAlerts', points: POINTS.one },
  strays: { alarm: 'TicketAlerts', points: POINTS.one },
  'operations-given-up': { alarm: 'TicketAlerts', points: POINTS.one },
  'invalid-signatures': { alarm: 'LastingAlerts', points: POINTS.twenty },
  'operations-open': { alarm: 'LastingAlerts', points: POINTS.three },
  'translations-failing': { alarm: 'LastingAlerts', points: POINTS.one },
  'jobs-waiting': { alarm: 'LastingAlerts', points: POINTS.three },
  'sweeps-waiting': { alarm: 'LastingAlerts', points: POINTS.one },
  'canary-without-key': { alarm: 'LastingAlerts', points: POINTS.one },
  'stream-late': { alarm: 'LastingAlerts', points: POINTS.one },
} as const satisfies Record<string, AlertEntry>;

/** The code of an alert, in the field `alert` of a log line. */
export type AlertCode = keyof typeof ALERTS;

/** The codes of all alerts, in the order of `ALERTS`. */
export const ALERT_CODES: readonly AlertCode[] = Object.keys(ALERTS).filter(
  (code): code is AlertCode => code in ALERTS,
);
