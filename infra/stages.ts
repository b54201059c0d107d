/** A token bucket: the sustained rate, and the largest burst. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The options whose defaults depend on the stage. */
export interface StageSettings {
  /** Keep tables, buckets, secrets and logs when the stack is deleted. */
  readonly keepsData: boolean;
  /** Protect the tables from deletion. */
  readonly deletionProtection: boolean;
  /** Days of point-in-time recovery of the main table, 1 to 35; 0 turns it off. Deleted projects stay recoverable as long. */
  readonly recoveryDays: number;
  /** Days to keep logs. CloudWatch accepts these numbers only. */
  readonly logDays: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365;
  /** The rate of each company. */
  readonly rate: Rate;
  /** The rate of each API method, for all callers together. */
  readonly methodRate: Rate;
  /** Log each request with its route. API Gateway then needs a role for the account and region. */
  readonly accessLogs: boolean;
  readonly alarms: boolean;
  readonly dashboard: boolean;
}

const RATES = { rate: { perSecond: 50, burst: 100 }, methodRate: { perSecond: 1_000, burst: 2_000 } } as const;

/** The defaults of each stage. */
export const STAGES = {
  development: {
    ...RATES,
    keepsData: false,
    deletionProtection: false,
    recoveryDays: 1,
    logDays: 7,
    accessLogs: false,
    alarms: false,
    dashboard: false,
  },
  production: {
    ...RATES,
    keepsData: true,
    deletionProtection: true,
    recoveryDays: 7,
    logDays: 30,
    accessLogs: true,
    alarms: true,
    dashboard: true,
  },
} as const satisfies Record<string, StageSettings>;
export type StageName = keyof typeof STAGES;
