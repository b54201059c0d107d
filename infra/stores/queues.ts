import { Duration } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { acknowledge } from '../acknowledge.ts';
import { FUNCTIONS, JOBS_QUEUE } from '../functions/catalogue.ts';
import type { GatewayOptions } from '../options.ts';

/** Returns the properties that every queue has. */
function common({ encryptionKey }: Pick<GatewayOptions, 'encryptionKey'>): QueueProps {
  return encryptionKey
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey, enforceSSL: true }
    : { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
}

/** A queue of jobs with its dead-letter queue. */
export interface JobQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/**
 * Creates the queue of jobs. A message names a project and has no content. Of each group of messages, one is in work at a
 * time, so that a company cannot occupy the function alone.
 */
export function createJobQueue(scope: Construct, options: GatewayOptions): JobQueue {
  const { timeoutSeconds } = FUNCTIONS.jobs;
  const deadLetters = createDeadLetterQueue(scope, 'JobDeadLetters', options, { fifo: true });
  const queue = new Queue(scope, 'Jobs', {
    ...common(options),
    fifo: true,
    deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
    fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    // AWS advises six times the time limit of the function.
    visibilityTimeout: Duration.seconds(6 * timeoutSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: JOBS_QUEUE.maxDeliveries },
  });
  return { queue, deadLetters };
}

/**
 * Creates a dead-letter queue. A message in it names the failed call and the error, or a job, and has no content.
 * @param props `fifo` for the dead letters of a queue that keeps an order
 */
export function createDeadLetterQueue(
  scope: Construct,
  id: string,
  options: Pick<GatewayOptions, 'encryptionKey'>,
  props: { readonly fifo?: true } = {},
): Queue {
  const queue = new Queue(scope, id, {
    ...common(options),
    ...props,
    retentionPeriod: Duration.days(RETENTIONS.deadLetterQueue.days),
  });
  const reason = 'It is the dead-letter queue itself. An alarm reports its messages.';
  acknowledge(queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
  return queue;
}
