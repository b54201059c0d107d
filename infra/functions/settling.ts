import { Duration } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { DeployedFunction } from './deployed-function.ts';
import { Scheduled } from './scheduled.ts';

export interface SettlingProps {
  readonly reconciler: DeployedFunction;
  readonly audit: DeployedFunction;
}

/** Finishes every minute what requests to another service left open, and compares every night what both sides have. */
export class Settling extends Construct {
  readonly reconciliation: Scheduled;
  readonly audit: Scheduled;

  constructor(scope: Construct, id: string, { reconciler, audit }: SettlingProps) {
    super(scope, id);
    this.reconciliation = new Scheduled(this, 'Reconciliation', {
      called: reconciler,
      schedule: Schedule.rate(Duration.minutes(1)),
      description: 'Operations whose end is not known yet',
      maxEventAge: Duration.minutes(1),
    });
    this.audit = new Scheduled(this, 'Audit', {
      called: audit,
      schedule: Schedule.cron({ hour: '2', minute: '30' }),
      description: 'Projects without an owner, and owners without a project',
      maxEventAge: Duration.hours(1),
    });
  }
}
