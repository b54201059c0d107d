import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { GatewayMetrics } from './metrics.ts';

/**
 * Creates the alarm that ends a rollout: in two of five minutes, a function failed in a way that only its code explains.
 * One such failure alone may come from the version before. The alarm notifies nobody: CodeDeploy reads it, in gradual
 * rollouts only.
 */
export function createRollbackAlarm(scope: Construct, metrics: GatewayMetrics): Alarm {
  return new Alarm(scope, 'RollbackAlarm', {
    alarmDescription:
      'Functions fail in a way that only their code explains. If a deployment is running, it is rolled back. Look first at the logs of the functions: lines with problem internal-error, timeouts, and functions out of memory.',
    metric: metrics.broken().with({ period: Duration.minutes(1) }),
    threshold: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 5,
    datapointsToAlarm: 2,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}
