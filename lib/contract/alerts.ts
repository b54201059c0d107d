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

// Each makes the entry of an alert. They keep the table small in every bundle.
const page = (points: number) => ({ alarm: 'PageAlerts', points }) as const;
const ticket = (points: number) => ({ alarm: 'TicketAlerts', points }) as const;
const lasting = (points: number) => ({ alarm: 'LastingAlerts', points }) as const;

/** Every alert: what the code logs if an operator must know. Each code is a heading in docs/alarms.md. */
export const ALERTS = {
  unavailable: page(POINTS.three),
  'outcome-unknown': page(POINTS.three),
  'upstream-locked-out': page(POINTS.one),
  'upstream-held-back': page(POINTS.three),
  'upstream-unusable': page(POINTS.three),
  'request-failed': page(POINTS.three),
  'stale-secret': page(POINTS.three),
  'table-failed': page(POINTS.five),
  'deliveries-waiting': page(POINTS.three),
  'events-waiting': page(POINTS.three),
  'results-waiting': page(POINTS.three),
  'events-late': page(POINTS.one),
  'canary-failed': page(POINTS.one),
  'run-failed': ticket(POINTS.one),
  'token-reused': ticket(POINTS.one),
  'dead-deliveries': ticket(POINTS.one),
  'failed-events': ticket(POINTS.one),
  'failed-results': ticket(POINTS.one),
  strays: ticket(POINTS.one),
  'operations-given-up': ticket(POINTS.one),
  'invalid-signatures': lasting(POINTS.twenty),
  'operations-open': lasting(POINTS.three),
  'translations-failing': lasting(POINTS.one),
  'jobs-waiting': lasting(POINTS.three),
  'sweeps-waiting': lasting(POINTS.one),
  'canary-without-key': lasting(POINTS.one),
  'stream-late': lasting(POINTS.one),
} as const satisfies Record<string, AlertEntry>;

/** The code of an alert, in the field `alert` of a log line. */
export type AlertCode = keyof typeof ALERTS;

/** The codes of all alerts, in the order of `ALERTS`. */
export const ALERT_CODES: readonly AlertCode[] = Object.keys(ALERTS).filter(
  (code): code is AlertCode => code in ALERTS,
);
