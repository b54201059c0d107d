/** Where and when the list prices are those below. */
export const LIST = { region: 'US East (N. Virginia)', date: '2026-11' } as const;

interface Price {
  /** In US dollars, of the first tier and without a free one. */
  readonly usd: number;
  readonly what: string;
  /** AWS's page about it, behind `https://aws.amazon.com/`: its list wins. */
  readonly page: string;
  /** The latest list of somebody else that has a date and the same price, with that date. */
  readonly found?: string;
}

/** List prices, in the order of their page. */
export const PRICES = {
  writeUnit: {
    usd: 0.625 / 1e6,
    what: 'DynamoDB, on demand: a write request unit',
    page: 'dynamodb/pricing/on-demand',
    found: 'airbyte.com, 2025-07',
  },
  readUnit: {
    usd: 0.125 / 1e6,
    what: 'DynamoDB, on demand: a read request unit',
    page: 'dynamodb/pricing/on-demand',
    found: 'airbyte.com, 2025-07',
  },
  tableGigabyteMonth: {
    usd: 0.25,
    what: 'DynamoDB: a GB of the table for a month',
    page: 'dynamodb/pricing/on-demand',
  },
  recoveryGigabyteMonth: {
    usd: 0.2,
    what: 'DynamoDB: point-in-time recovery, a GB of the table for a month',
    page: 'dynamodb/pricing/on-demand',
  },
  objectPut: { usd: 0.005 / 1e3, what: 'S3 Standard: a PUT or LIST (a DELETE is free)', page: 's3/pricing' },
  objectGet: { usd: 0.0004 / 1e3, what: 'S3 Standard: a GET', page: 's3/pricing' },
  objectGigabyteMonth: { usd: 0.023, what: 'S3 Standard: a GB for a month', page: 's3/pricing' },
  gatewayRequest: {
    usd: 3.5 / 1e6,
    what: 'API Gateway, REST API: a request',
    page: 'api-gateway/pricing',
    found: 'appropri8-astro.pages.dev, 2025-12',
  },
  functionRequest: {
    usd: 0.2 / 1e6,
    what: 'Lambda: an invocation',
    page: 'lambda/pricing',
    found: 'git.mcrn.ar, 2026-05',
  },
  functionGigabyteSecond: {
    usd: 0.0000133334,
    what: 'Lambda on arm64: a GB of memory for a second',
    page: 'lambda/pricing',
    found: 'git.mcrn.ar, 2026-05',
  },
  busEvent: {
    usd: 1 / 1e6,
    what: 'EventBridge: an event put onto the bus',
    page: 'eventbridge/pricing',
    found: 'factualminds.com, 2026-06',
  },
  secretMonth: { usd: 0.4, what: 'Secrets Manager: a secret for a month', page: 'secrets-manager/pricing' },
  secretRead: { usd: 0.05 / 1e4, what: 'Secrets Manager: a call', page: 'secrets-manager/pricing' },
  gigabyteOut: {
    usd: 0.09,
    what: 'Data transfer: a GB to the internet',
    page: 'ec2/pricing/on-demand',
    found: 'appropri8-astro.pages.dev, 2025-12',
  },
  alarmMetricMonth: {
    usd: 0.1,
    what: 'CloudWatch: a metric that an alarm looks at, for a month',
    page: 'cloudwatch/pricing',
  },
  logMetricMonth: {
    usd: 0.3,
    what: 'CloudWatch: a metric made of logs, for a month',
    page: 'cloudwatch/pricing',
    found: 'signoz.io, 2026-02',
  },
  dashboardMonth: {
    usd: 3,
    what: 'CloudWatch: a dashboard for a month',
    page: 'cloudwatch/pricing',
    found: 'factualminds.com, 2026-06',
  },
  logGigabyte: {
    usd: 0.5,
    what: 'CloudWatch: a GB of logs',
    page: 'cloudwatch/pricing',
    found: 'factualminds.com, 2026-06',
  },
  firewallMonth: {
    usd: 5,
    what: 'WAF: a web ACL for a month',
    page: 'waf/pricing',
    found: 'awsnegotiations.com, 2026',
  },
  firewallRuleMonth: {
    usd: 1,
    what: 'WAF: a rule or group of rules for a month',
    page: 'waf/pricing',
    found: 'awsnegotiations.com, 2026',
  },
  firewallRequest: {
    usd: 0.6 / 1e6,
    what: 'WAF: a request looked at',
    page: 'waf/pricing',
    found: 'awsnegotiations.com, 2026',
  },
} as const satisfies Record<string, Price>;
export type Priced = keyof typeof PRICES;

/** What is known of a price. */
export function priceOf(name: Priced): Price {
  return PRICES[name];
}
