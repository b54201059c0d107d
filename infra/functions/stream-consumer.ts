import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import { mayUse } from '../stores/grant.ts';
import { deadLetters } from './dead-letters.ts';
import type { DeployedFunction } from './deployed-function.ts';

export interface StreamConsumerProps {
  readonly table: Table;
  readonly consumer: DeployedFunction;
  /** Of which items it hears when they are inserted: a filter of their keys. */
  readonly keys: Readonly<Record<string, { readonly S: ReturnType<typeof FilterRule.isEqual> }>>;
  /** How often a batch is tried again, halved each time it fails, before it is a dead letter. */
  readonly retries: number;
}

/** A function that hears of items inserted into the table, in order. What it cannot do in time becomes a dead letter. */
export class StreamConsumer extends Construct {
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { table, consumer, keys, retries }: StreamConsumerProps) {
    super(scope, id);
    const stream = table.tableStreamArn;
    if (stream === undefined) throw new RangeError('The table has no stream');
    this.deadLetters = deadLetters(this, 'DeadLetters');
    const reading = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
    consumer.allow(
      new PolicyStatement({ actions: reading, resources: [stream] }),
      new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.deadLetters.queueArn] }),
      ...mayUse(table.encryptionKey, 'dynamodb', 'read'),
    );
    const why = 'Listing streams is allowed for all of them or for none.';
    acknowledge(consumer, { 'AwsSolutions-IAM5[Resource::*]': why, 'Serverless-LambdaStarPermissions': why });
    new EventSourceMapping(this, 'Mapping', {
      target: consumer.lambda,
      eventSourceArn: stream,
      // what happened before there was a consumer counts too
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT'), dynamodb: { Keys: keys } })],
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: retries,
      // the stream itself has them for a day
      maxRecordAge: Duration.hours(12),
      onFailure: { bind: () => ({ destination: this.deadLetters.queueArn }) },
    });
  }
}
