import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { DeployedFunction } from './deployed-function.ts';
import { StreamConsumer } from './stream-consumer.ts';

export interface PublishingProps {
  readonly table: Table;
  readonly publisher: DeployedFunction;
}

/** Puts what happened to projects onto the bus, as the records say that were committed with it. */
export class Publishing extends Construct {
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { table, publisher }: PublishingProps) {
    super(scope, id);
    const stream = new StreamConsumer(this, 'Stream', {
      table,
      consumer: publisher,
      keys: { sort: { S: FilterRule.beginsWith('event/') } },
      // nothing comes back to what is left: it is worth waiting for a bus that is not there
      retries: 30,
    });
    this.deadLetters = stream.deadLetters;
  }
}
