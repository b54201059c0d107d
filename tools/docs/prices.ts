/**
 * AWS's prices in US dollars in US East (N. Virginia), November 2026: the first tier, without the free tier. Each entry
 * names the page of AWS with the current price.
 */
export const PRICES = {
  writeUnit: [0.625e-6, 'DynamoDB, on demand: a write request unit', 'dynamodb/pricing/on-demand'],
  readUnit: [0.125e-6, 'DynamoDB, on demand: a read request unit', 'dynamodb/pricing/on-demand'],
  tableGigabyteMonth: [0.25, 'DynamoDB: a GB for a month', 'dynamodb/pricing/on-demand'],
  recoveryGigabyteMonth: [0.2, 'DynamoDB: point-in-time recovery, a GB for a month', 'dynamodb/pricing/on-demand'],
  objectPut: [5e-6, 'S3 Standard: a PUT or LIST (a DELETE is free)', 's3/pricing'],
  objectGet: [0.4e-6, 'S3 Standard: a GET', 's3/pricing'],
  objectGigabyteMonth: [0.023, 'S3 Standard: a GB for a month', 's3/pricing'],
  gatewayRequest: [3.5e-6, 'API Gateway, REST API: a request', 'api-gateway/pricing'],
  functionRequest: [0.2e-6, 'Lambda: an invocation', 'lambda/pricing'],
  functionGigabyteSecond: [13.3334e-6, 'Lambda on arm64: a GB of memory for a second', 'lambda/pricing'],
  provisionedGigabyteSecond: [
    3.3334e-6,
    'Lambda on arm64: a GB of provisioned concurrency for a second',
    'lambda/pricing',
  ],
  queueRequest: [0.5e-6, 'SQS, FIFO: a request', 'sqs/pricing'],
  busEvent: [1e-6, 'EventBridge: an event', 'eventbridge/pricing'],
  secretMonth: [0.4, 'Secrets Manager: a secret for a month', 'secrets-manager/pricing'],
  secretRead: [5e-6, 'Secrets Manager: a call', 'secrets-manager/pricing'],
  keyRequest: [3e-6, 'KMS: a call with a key, also one that AWS manages', 'kms/pricing'],
  gigabyteOut: [0.09, 'Data transfer: a GB to the internet', 'ec2/pricing/on-demand'],
  alarmMetricMonth: [0.1, 'CloudWatch: a metric of an alarm, for a month', 'cloudwatch/pricing'],
  logMetricMonth: [0.3, 'CloudWatch: a metric from logs, for a month', 'cloudwatch/pricing'],
  dashboardMonth: [3, 'CloudWatch: a dashboard for a month', 'cloudwatch/pricing'],
  logGigabyte: [0.5, 'CloudWatch: a GB of logs', 'cloudwatch/pricing'],
  firewallMonth: [5, 'WAF: a web ACL for a month', 'waf/pricing'],
  firewallRuleMonth: [1, 'WAF: a rule or group of rules for a month', 'waf/pricing'],
  firewallRequest: [0.6e-6, 'WAF: a request', 'waf/pricing'],
  translatedCharacter: [15e-6, 'Amazon Translate: a character of standard text', 'translate/pricing'],
  serverHour: [0.0816, 'EC2: an hour of `m7g.large` with Linux', 'ec2/pricing/on-demand'],
} as const satisfies Record<string, readonly [usd: number, what: string, page: string]>;
/** How much of what is charged, by the names of the prices. */
export type Amounts = Partial<Record<keyof typeof PRICES, number>>;

/** Returns the sum of numbers. */
export function total(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/** Returns what amounts cost in US dollars. */
export function usd(amounts: Amounts): number {
  const named = new Map<string, number>(Object.entries(amounts));
  return total(Object.entries(PRICES).map(([name, [price]]) => (named.get(name) ?? 0) * price));
}

/** Returns a number with separators of thousands. */
export function number(value: number): string {
  return value.toLocaleString('en');
}

/** Returns an amount in US dollars with a fixed number of digits. */
export function dollars(value: number, digits: 2 | 4): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Returns a price; that of a million, if one costs less than a cent. */
export function priceText(value: number): string {
  if (value >= 0.01) return value.toLocaleString('en', { minimumFractionDigits: 2 });
  return `${(value * 1e6).toLocaleString('en', { maximumFractionDigits: 4 })} a million`;
}
