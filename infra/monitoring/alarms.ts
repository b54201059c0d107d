import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { AlarmSpec } from './alarm-specs.ts';

/**
 * Creates the alarms.
 * @param topic receives each alarm and its end; nothing receives them if it is missing
 */
export function createAlarms(scope: Construct, specs: readonly AlarmSpec[], topic: ITopic | undefined): Alarm[] {
  return specs.map(({ id, impact, lookAt, metric, threshold, periods = 1, notifiesOfMissingData }) => {
    const alarm = new Alarm(scope, id, {
      alarmDescription: `${impact} Look first at ${lookAt}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: notifiesOfMissingData ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    });
    if (topic) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
      if (notifiesOfMissingData) alarm.addInsufficientDataAction(new SnsAction(topic));
    }
    return alarm;
  });
}
