import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { acknowledge } from '../acknowledge.ts';
import { keyStatements } from '../stores/grant.ts';
import type { DeployedFunction } from './deployed-function.ts';
import type { QueueSpec, ScheduleSpec, StreamSpec } from './function-spec.ts';

/**
 * Lets a table's stream invoke a function for each inserted item that `keys` selects, in order.
 * @param letters the queue for batches that failed every retry, or whose items were inserted over 12 hours ago
 * @throws {RangeError} if there is no table, or it has no stream
 */
export function addStream(
  target: DeployedFunction,
  table: ITable | undefined,
  letters: Queue,
  { keys, retries }: StreamSpec,
): void {
  if (table?.tableStreamArn === undefined) throw new RangeError('There is no table with a stream');
  const stream = table.tableStreamArn;
  const read = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
  target.allow(
    new PolicyStatement({ actions: read, resources: [stream] }),
    new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
    ...sending(letters),
    ...keyStatements(table.encryptionKey, 'dynamodb', 'read'),
  );
  const reason = 'dynamodb:ListStreams cannot be limited to a resource.';
  acknowledge(target, { 'AwsSolutions-IAM5[Resource::*]': reason, 'Serverless-LambdaStarPermissions': reason });
  const filters = keys.map(({ option: _, ...alternative }) =>
    Object.fromEntries(Object.entries(alternative).map(([key, rules]) => [key, { S: [rules].flat() }])),
  );
  new EventSourceMapping(target, 'StreamMapping', {
    target: target.lambda,
    eventSourceArn: stream,
    // The function also gets the items that were inserted before its first deployment.
    startingPosition: StartingPosition.TRIM_HORIZON,
    filters: filters.map((Keys) => FilterCriteria.filter({ eventName: ['INSERT'], dynamodb: { Keys } })),
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    retryAttempts: retries,
    // The stream keeps its records for 24 hours. The rest of that time is for the operator.
    maxRecordAge: Duration.hours(12),
    onFailure: { bind: () => ({ destination: letters.queueArn }) },
  });
}

/**
 * Lets a queue invoke a function for each message. Of each group of messages, one is in work at a time. A message that
 * fails again and again goes to the dead-letter queue of the queue.
 */
export function addQueue(target: DeployedFunction, queue: Queue, { maxConcurrency }: QueueSpec): void {
  const actions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  target.allow(
    new PolicyStatement({ actions, resources: [queue.queueArn] }),
    ...keyStatements(queue.encryptionMasterKey, 'sqs', 'read'),
  );
  const mapping = new EventSourceMapping(target, 'QueueMapping', {
    target: target.lambda,
    eventSourceArn: queue.queueArn,
    batchSize: 1,
    reportBatchItemFailures: true,
    // Without this limit, Lambda would receive messages that it then cannot run, and count them as failed deliveries.
    maxConcurrency,
  });
  acknowledge(mapping, {
    'Serverless-LambdaEventSourceMappingDestination':
      'The queue itself moves messages that fail again and again to its dead-letter queue.',
  });
}

/**
 * Invokes a function on a schedule. A run that fails is no dead letter: it logs an alert, and the next run does its
 * work. Nobody could do more with a letter than delete it.
 */
export function addSchedule(target: DeployedFunction, { expression, description, maxAgeMinutes }: ScheduleSpec): void {
  const once =
    maxAgeMinutes === undefined ? undefined : { maxEventAge: Duration.minutes(maxAgeMinutes), retryAttempts: 0 };
  // By default, Lambda would keep the runs that it cannot start for six hours, and then start all of them together.
  if (once) target.lambda.configureAsyncInvoke(once);
  new Rule(target, 'Schedule', {
    description,
    schedule: Schedule.expression(expression),
    targets: [new LambdaFunction(target.lambda, once)],
  });
  const reason =
    'A run that fails logs an alert, and the next run does its work. An alarm notices calls that do not arrive.';
  acknowledge(target, { 'Serverless-EventBusDLQ': reason, 'Serverless-LambdaAsyncFailureDestination': reason });
}

/** Returns the statements that allow sending messages to a queue. */
function sending(queue: Queue): PolicyStatement[] {
  return [
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
    ...keyStatements(queue.encryptionMasterKey, 'sqs', 'send'),
  ];
}
