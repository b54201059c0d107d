/** Where and when the list prices are those below. */
export const LIST = { region: 'US East (N. Virginia)', date: '2026-11' } as const;

/** List prices in US dollars, of the first tier and without a free one. AWS's own price list wins. */
export const PRICES = {
  writeUnit: { usd: 0.625 / 1e6, what: 'DynamoDB, on demand: a write request unit' },
  readUnit: { usd: 0.125 / 1e6, what: 'DynamoDB, on demand: a read request unit' },
  tableGigabyteMonth: { usd: 0.25, what: 'DynamoDB: a GB of the table for a month' },
  recoveryGigabyteMonth: { usd: 0.2, what: 'DynamoDB: point-in-time recovery, a GB of the table for a month' },
  objectPut: { usd: 0.005 / 1e3, what: 'S3 Standard: a PUT or LIST (a DELETE is free)' },
  objectGet: { usd: 0.0004 / 1e3, what: 'S3 Standard: a GET' },
  objectGigabyteMonth: { usd: 0.023, what: 'S3 Standard: a GB for a month' },
  gatewayRequest: { usd: 3.5 / 1e6, what: 'API Gateway, REST API: a request' },
  functionRequest: { usd: 0.2 / 1e6, what: 'Lambda: an invocation' },
  functionGigabyteSecond: { usd: 0.0000133334, what: 'Lambda on arm64: a GB of memory for a second' },
  busEvent: { usd: 1 / 1e6, what: 'EventBridge: an event put onto the bus' },
  secretMonth: { usd: 0.4, what: 'Secrets Manager: a secret for a month' },
  secretRead: { usd: 0.05 / 1e4, what: 'Secrets Manager: a call' },
  gigabyteOut: { usd: 0.09, what: 'Data transfer: a GB to the internet' },
} as const;
export type Priced = keyof typeof PRICES;
