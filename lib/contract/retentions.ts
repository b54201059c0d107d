/** The retention of one kind of record. */
interface Retention {
  /** How long the record is kept, in days. */
  readonly days: number;
  /**
   * Other records, which refer to this record or can repeat its request. This record is kept at least a day longer than
   * each of them.
   */
  readonly outlives?: readonly RetentionName[];
}

/** The names of all retentions. A retention is how long Segue or AWS keeps one kind of record. */
export const RETENTION_NAMES = [
  'idempotencyKey',
  'webhookKey',
  'workflowKey',
  'bulkLine',
  'tombstone',
  'event',
  'delivery',
  'message',
  'delivered',
  'manifest',
  'bulkResult',
  'deadLetterQueue',
  'redrive',
] as const;
export type RetentionName = (typeof RETENTION_NAMES)[number];

/**
 * Every retention of Segue. The idempotency key of a request is kept longer than any record or run that can repeat the
 * request. Otherwise a repetition could take effect again. `docs/retention.md` describes one exception.
 */
export const RETENTIONS: Readonly<Record<RetentionName, Retention>> = {
  idempotencyKey: { days: 7 },
  webhookKey: { days: 15, outlives: ['message'] },
  workflowKey: { days: 15, outlives: ['redrive'] },
  bulkLine: { days: 90, outlives: ['manifest', 'redrive'] },
  tombstone: { days: 30, outlives: ['idempotencyKey', 'webhookKey', 'workflowKey'] },
  event: { days: 30, outlives: ['deadLetterQueue'] },
  delivery: { days: 14 },
  message: { days: 14 },
  /** What a destination got of a language; see `lib/destinations/delivered.ts`. */
  delivered: { days: 365 },
  manifest: { days: 7 },
  bulkResult: { days: 30, outlives: ['redrive'] },
  /** 14 days is the longest time that Amazon SQS keeps a message. */
  deadLetterQueue: { days: 14 },
  /** Step Functions can redrive an execution for 14 days. */
  redrive: { days: 14 },
};

const DAY_MS = 86_400_000;

/** Returns how long a record is kept, in milliseconds. */
export function retentionMsOf(name: RetentionName): number {
  return RETENTIONS[name].days * DAY_MS;
}
