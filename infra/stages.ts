import type { Rate } from '../lib/contract/settings.ts';

/**
 * What stands in front of the API. `rate` is AWS WAF with one rule, which limits the requests of an address that need no
 * credentials. `managed` adds a limit on all requests of an address, and Amazon's managed rules.
 */
export const FIREWALLS = ['off', 'rate', 'managed'] as const;
export type FirewallMode = (typeof FIREWALLS)[number];

/** The numbers of days that CloudWatch can keep a log. It has more than these. */
export const LOG_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 180, 365] as const;
export type LogDays = (typeof LOG_DAYS)[number];

/**
 * How new code of the functions behind the API takes over. `in-place`: Lambda updates each function, as it always does
 * with functions for workflows and background work. `at-once`: each function has versions, and all calls go to the newest.
 * `gradual`: for five minutes, a tenth of the requests go to the new versions. If the new code fails, the whole deployment
 * is rolled back.
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
  readonly logDays: LogDays;
  readonly firewall: FirewallMode;
  /** How many requests without credentials the firewall lets through from one address in five minutes. */
  readonly firewallLimit: number;
  /** How many days the log of the firewall is kept. It has the addresses of refused senders. */
  readonly firewallLogDays: LogDays;
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

const FIREWALL = { firewallLimit: 3_000, firewallLogDays: 7 } as const;
const RATES = { rate: { perSecond: 50, burst: 100 }, methodRate: { perSecond: 1_000, burst: 2_000 } } as const;

/** The defaults of `StageSettings`, by stage. */
export const STAGES = {
  development: {
    ...RATES,
    ...FIREWALL,
    firewall: 'off',
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
    ...FIREWALL,
    firewall: 'rate',
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
