import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { alarmsOf } from './alarm-list.ts';
import type { Watched } from './metrics.ts';

export interface AlarmsProps {
  readonly watched: Watched;
  /** Where they go, and where it is said that they are over; nowhere unless given. */
  readonly topic?: ITopic | undefined;
}

/** The alarms, each of which says what is lost and what to look at first. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { watched, topic }: AlarmsProps) {
    super(scope, id);
    this.alarms = alarmsOf(watched).map(({ id: name, loses, look, metric, threshold, periods = 1, isSilenceBad }) => {
      const alarm = new Alarm(this, name, {
        alarmDescription: `${loses} Look first at ${look}`,
        metric,
        threshold,
        evaluationPeriods: periods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: isSilenceBad ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
      });
      if (topic) {
        alarm.addAlarmAction(new SnsAction(topic));
        alarm.addOkAction(new SnsAction(topic));
        if (isSilenceBad) alarm.addInsufficientDataAction(new SnsAction(topic));
      }
      return alarm;
    });
  }
}
