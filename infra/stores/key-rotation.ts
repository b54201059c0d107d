import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

export interface RotationProps {
  readonly secret: ISecret;
  readonly rotator: IFunction;
}

/** A new signing key every 30 days, beside the older ones as long as their tokens live. */
export class Rotation extends Construct {
  constructor(scope: Construct, id: string, { secret, rotator }: RotationProps) {
    super(scope, id);
    rotator.addPermission('SecretsManager', {
      principal: new ServicePrincipal('secretsmanager.amazonaws.com'),
      sourceAccount: Stack.of(this).account,
    });
    const schedule = new CfnRotationSchedule(this, 'Schedule', {
      secretId: secret.secretArn,
      rotationLambdaArn: rotator.functionArn,
      rotationRules: { automaticallyAfterDays: 30 },
      // a deployment is no reason for another key
      rotateImmediatelyOnUpdate: false,
    });
    schedule.node.addDependency(rotator);
  }
}
