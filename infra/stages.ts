/** A token bucket: so many requests a second in the long run, and so many at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What differs from stage to stage. Each can be set by itself, too. */
export interface StageSettings {
  /** Whether table, bucket, secrets and logs are left where they are when the stack is deleted. */
  readonly keepsData: boolean;
  /** Whether the table refuses to be deleted, by whatever means. */
  readonly deletionProtection: boolean;
  /** For how many days the table can be set back to any second, 1 to 35; 0 for not at all. What was deleted is recoverable as long. */
  readonly recoveryDays: number;
  /** For how many days logs are kept: one of the numbers that CloudWatch has. */
  readonly logDays: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365;
  /** Of each company. */
  readonly rate: Rate;
  /** Of each method of the API, by all callers together, those without credentials too. */
  readonly methodRate: Rate;
  /** Whether the API's requests are logged, by their routes. API Gateway then needs a role, one for account and region. */
  readonly accessLogs: boolean;
  readonly alarms: boolean;
  readonly dashboard: boolean;
}

const RATES = { rate: { perSecond: 50, burst: 100 }, methodRate: { perSecond: 1_000, burst: 2_000 } } as const;

/** Every stage there is, each with all of its settings. */
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
