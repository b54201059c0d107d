import { RETENTION_NAMES, RETENTIONS, type RetentionName } from '../../lib/contract/retentions.ts';
import { fill } from './fill.ts';
import { table } from './table.ts';

/** The rows of the table: what is kept, the event from which its days count, and the reason. */
const ROWS: Readonly<Record<RetentionName, readonly [what: string, from: string, why: string]>> = {
  idempotencyKey: [
    'the result of a request with an `Idempotency-Key`',
    'its last attempt',
    '[Repeat a request](exactly-once.md) within this time.',
  ],
  webhookKey: [
    'the result of a command of a webhook message',
    'its last attempt',
    'A dead letter can be redriven as long as its message is kept.',
  ],
  workflowKey: [
    'the result of a workflow task with `execution`',
    'its last attempt',
    'An execution can be redriven. See [Workflows](workflows.md#run-a-task-only-once).',
  ],
  bulkLine: [
    'the result of a manifest line, with or without its own `idempotencyKey`',
    'its last attempt',
    'A corrected manifest runs only the lines that are new or were refused. See [Bulk](bulk.md).',
  ],
  tombstone: [
    'the tombstone of a deleted project, and the last `revision` of its puts and deletions',
    'its deletion',
    'A late retry of the creation gets `deletedAtUtc`. See [Deletion](deletion.md).',
  ],
  event: [
    'the record of an [event](events.md)',
    'the event',
    'A message in the dead-letter queue of `publishEvents` points at it.',
  ],
  delivery: [
    'the id of a webhook message, a dead letter without its message, and a delivery to a [destination](destinations.md)',
    'the end of its work',
    'A sender that repeats the message gets the first answer.',
  ],
  message: [
    'the message of a webhook that is not done',
    'its receipt',
    'See [dead letters](webhook-deliveries.md#dead-letters).',
  ],
  delivered: [
    'the salted hashes of the translations that a destination got',
    'the last delivery of the language, or until the project is deleted',
    'They tell which translations have [changed](destinations.md#what-segue-remembers).',
  ],
  manifest: [
    'a manifest and its index, on AWS',
    'their upload',
    'They hold content. After this time, a redrive of the run fails and does nothing: upload the manifest again.',
  ],
  bulkResult: ['the results of a bulk run, on AWS', 'their upload', 'They hold no content.'],
  deadLetterQueue: [
    'a message in a dead-letter queue, on AWS',
    'its arrival, up to 12 hours after the event',
    'The message names the failed call, and has no content. SQS keeps no message longer.',
  ],
  redrive: [
    'the right to redrive an execution',
    'the end of the execution',
    'A limit of Step Functions. If an execution ends more than a day after the task and is redriven at the last moment, the task can run again.',
  ],
};

/** Returns the page `docs/retention.md`. */
export function retentionPage(): string {
  const rows = RETENTION_NAMES.map((name) => {
    const [what, from, why] = ROWS[name];
    return [what, `${RETENTIONS[name].days} days`, from, why];
  });
  return fill('docs/retention.md', { records: table(['record', 'kept for', 'counted from', 'reason'], rows) });
}
