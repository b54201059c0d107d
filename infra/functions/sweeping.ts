import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { DeployedFunction } from './deployed-function.ts';
import { Scheduled } from './scheduled.ts';
import { StreamConsumer } from './stream-consumer.ts';

export interface SweepingProps {
  readonly table: Table;
  readonly sweeper: DeployedFunction;
}

/** Removes what was deleted: at once by the stream, and whatever is still due every five minutes. */
export class Sweeping extends Construct {
  readonly stream: StreamConsumer;
  readonly schedule: Scheduled;

  constructor(scope: Construct, id: string, { table, sweeper }: SweepingProps) {
    super(scope, id);
    this.stream = new StreamConsumer(this, 'Stream', {
      table,
      consumer: sweeper,
      keys: { partition: { S: FilterRule.isEqual('sweep') } },
      // the schedule comes back to what is left
      retries: 3,
    });
    this.schedule = new Scheduled(this, 'Schedule', {
      called: sweeper,
      schedule: Schedule.rate(Duration.minutes(5)),
      description: 'What is still to be swept',
      maxEventAge: Duration.minutes(5),
    });
  }
}
