import type { Priced } from './prices.ts';

type Amounts = Partial<Record<Priced, number>>;

/** What a stack has whether it is used or not. A test of the template says so too. */
export const STANDING = {
  hosted: {
    production: { secretMonth: 1, alarmMetricMonth: 56, logMetricMonth: 14, dashboardMonth: 1 },
    development: { secretMonth: 1 },
  },
  upstream: {
    production: { secretMonth: 2, alarmMetricMonth: 62, logMetricMonth: 19, dashboardMonth: 1 },
    development: { secretMonth: 2 },
  },
} as const satisfies Record<string, Record<string, Amounts>>;

/** What the setting `firewall` adds. */
export const FIREWALL = { firewallMonth: 1, firewallRuleMonth: 5 } as const satisfies Amounts;
