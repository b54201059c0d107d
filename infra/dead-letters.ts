import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** A queue for what could not be done, kept for two weeks. What arrives says where it was and why, and has no content. */
export function deadLetters(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  const isLast = 'It is the last queue itself: an alarm says when it has something.';
  acknowledge(queue, { 'AwsSolutions-SQS3': isLast, 'Serverless-SQSRedrivePolicy': isLast });
  return queue;
}
