/** How long a record is kept, and which others it must outlive. */
interface Retention {
  readonly days: number;
  /** Records that refer to it or can repeat its request. It is kept at least a day longer than each of them. */
  readonly outlives?: readonly RetentionName[];
}

export const RETENTION_NAMES = [
  'idempotencyKey',
  'webhookKey',
  'workflowKey',
  'bulkLine',
  'tombstone',
  'event',
  'delivery',
  'message',
  'manifest',
  'bulkResult',
  'deadLetterQueue',
  'redrive',
] as const;
export type RetentionName = (typeof RETENTION_NAMES)[number];

/**
 * Every retention of Segue. A key must outlive everything that can repeat its request: otherwise the request would run
 * twice.
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
  manifest: { days: 7 },
  bulkResult: { days: 30, outlives: ['redrive'] },
  /** The longest that Amazon SQS keeps a message. */
  deadLetterQueue: { days: 14 },
  /** A limit of Step Functions. */
  redrive: { days: 14 },
};

const DAY_MS = 86_400_000;

export function retentionMsOf(name: RetentionName): number {
  return RETENTIONS[name].days * DAY_MS;
}
