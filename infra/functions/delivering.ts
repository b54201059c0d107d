import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { DeployedFunction } from './deployed-function.ts';
import { Scheduled } from './scheduled.ts';
import { StreamConsumer } from './stream-consumer.ts';

export interface DeliveringProps {
  /** Of deliveries. */
  readonly table: Table;
  readonly worker: DeployedFunction;
}

/** Works on what webhooks bring: at once by the stream, and on whatever is due every minute. */
export class Delivering extends Construct {
  readonly stream: StreamConsumer;
  readonly schedule: Scheduled;

  constructor(scope: Construct, id: string, { table, worker }: DeliveringProps) {
    super(scope, id);
    this.stream = new StreamConsumer(this, 'Stream', {
      table,
      consumer: worker,
      keys: { sort: { S: FilterRule.isEqual('state') } },
      // the schedule comes back to what is left
      retries: 3,
    });
    this.schedule = new Scheduled(this, 'Schedule', {
      called: worker,
      schedule: Schedule.rate(Duration.minutes(1)),
      description: 'Deliveries of webhooks that are due',
      maxEventAge: Duration.minutes(1),
    });
  }
}
