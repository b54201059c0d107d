import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { acknowledge } from '../acknowledge.ts';
import type { DeployedFunction } from './deployed-function.ts';

/** A queue for what could not be done. What arrives says where it was and why, and has no content. */
export function deadLetters(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(RETENTIONS.deadLetterQueue.days),
  });
  const isLast = 'It is the last queue itself: an alarm says when it has something.';
  acknowledge(queue, { 'AwsSolutions-SQS3': isLast, 'Serverless-SQSRedrivePolicy': isLast });
  return queue;
}

/** Keeps each call that nobody waits for and that has failed for good: at every attempt, or for so long. */
export function keepFailedCalls(called: DeployedFunction, queue: Queue, maxEventAge: Duration): void {
  called.allow(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
  called.lambda.configureAsyncInvoke({
    maxEventAge,
    retryAttempts: 2,
    onFailure: { bind: () => ({ destination: queue.queueArn }) },
  });
}
