import type { Duration } from 'aws-cdk-lib';
import { Rule, type Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetters, keepFailedCalls } from './dead-letters.ts';
import type { DeployedFunction } from './deployed-function.ts';

export interface ScheduledProps {
  readonly called: DeployedFunction;
  readonly schedule: Schedule;
  readonly description: string;
  /** How late a call may be before it becomes a dead letter. */
  readonly maxEventAge: Duration;
}

/** A function that is called again and again. */
export class Scheduled extends Construct {
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { called, schedule, description, maxEventAge }: ScheduledProps) {
    super(scope, id);
    this.deadLetters = deadLetters(this, 'Letters');
    keepFailedCalls(called, this.deadLetters, maxEventAge);
    const target = new LambdaFunction(called.lambda, {
      deadLetterQueue: this.deadLetters,
      maxEventAge,
      retryAttempts: 2,
    });
    // by this name a rule is called as what it is in
    new Rule(this, 'Default', { description, schedule, targets: [target] });
  }
}
