import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetters, keepFailedCalls } from './dead-letters.ts';
import type { DeployedFunction } from './function.ts';
import { StreamConsumer } from './stream-consumer.ts';

export interface SweepingProps {
  readonly table: Table;
  readonly sweeper: DeployedFunction;
}

/** Removes what was deleted: at once by the stream, and whatever is still due every five minutes. */
export class Sweeping extends Construct {
  readonly streamLetters: Queue;
  readonly scheduleLetters: Queue;

  constructor(scope: Construct, id: string, { table, sweeper }: SweepingProps) {
    super(scope, id);
    const stream = new StreamConsumer(this, 'Stream', {
      table,
      consumer: sweeper,
      keys: { partition: { S: FilterRule.isEqual('sweep') } },
      // the schedule comes back to what is left
      retries: 3,
    });
    this.streamLetters = stream.deadLetters;
    this.scheduleLetters = deadLetters(this, 'ScheduleLetters');
    // a run that comes later than the next one is worth nothing
    const maxEventAge = Duration.minutes(5);
    keepFailedCalls(sweeper, this.scheduleLetters, maxEventAge);
    new Rule(this, 'Schedule', {
      description: 'What is still to be swept',
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [
        new LambdaFunction(sweeper.lambda, {
          deadLetterQueue: this.scheduleLetters,
          maxEventAge,
          retryAttempts: 2,
        }),
      ],
    });
  }
}
