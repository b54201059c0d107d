/** A limit on requests, as a token bucket: the sustained rate per second, and the largest burst. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * How new code of the functions takes over. `in-place`: Lambda updates each function. `at-once`: each function has
 * versions, and all calls go to the newest. `gradual`: for five minutes, a tenth of the requests to the API go to the
 * new versions. If the new versions fail, the whole deployment is rolled back.
 */
export const ROLLOUTS = ['in-place', 'at-once', 'gradual'] as const;
export type Rollout = (typeof ROLLOUTS)[number];

/** The options whose defaults depend on the stage. */
export interface StageSettings {
  /** Whether tables, buckets, secrets and logs are kept when the stack is deleted. */
  readonly keepsData: boolean;
  /** Whether DynamoDB refuses to delete the tables. */
  readonly deletionProtection: boolean;
  /**
   * How many days back the main table can be recovered, 1 to 35. Deleted projects can be recovered for as long. With 0,
   * point-in-time recovery is off.
   */
  readonly recoveryDays: number;
  /** How many days logs are kept. CloudWatch accepts only certain numbers. */
  readonly logDays: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365;
  /** The limit on the requests of each company. */
  readonly rate: Rate;
  /** The limit on the requests for each method of the API, for all callers together. */
  readonly methodRate: Rate;
  /** Whether API Gateway logs each request with its route. API Gateway then needs a role for the account and region. */
  readonly accessLogs: boolean;
  readonly alarms: boolean;
  readonly dashboard: boolean;
  readonly rollout: Rollout;
}

const RATES = { rate: { perSecond: 50, burst: 100 }, methodRate: { perSecond: 1_000, burst: 2_000 } } as const;

/** The defaults of `StageSettings`, by stage. */
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
    rollout: 'in-place',
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
    rollout: 'gradual',
  },
} as const satisfies Record<string, StageSettings>;
export type StageName = keyof typeof STAGES;
