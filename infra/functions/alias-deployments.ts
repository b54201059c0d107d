import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { Rollout } from '../stages.ts';
import type { DeployedFunction } from './deployed-function.ts';

interface AliasDeploymentsProps {
  readonly functions: readonly DeployedFunction[];
  /** The alarm that ends a gradual rollout. */
  readonly alarm: IAlarm;
  readonly rollout: Exclude<Rollout, 'in-place'>;
}

/**
 * The deployments of CodeDeploy, which let the aliases of functions behind the API point to new versions.
 *
 * `gradual` shifts a tenth of the requests, and after five minutes all. If the alarm starts meanwhile, CodeDeploy moves
 * all requests back, and CloudFormation rolls back the deployment. All other functions have changed at once, and change
 * back then. Their callers repeat failed calls by themselves.
 *
 * `at-once` is the way out of an incident. It has the same resources, because a deployment that deletes some has more
 * that can fail.
 */
export class AliasDeployments extends Construct {
  constructor(scope: Construct, id: string, { functions, alarm, rollout }: AliasDeploymentsProps) {
    super(scope, id);
    const shifted = functions.flatMap(({ entry, lambda, alias }) =>
      alias ? [{ name: entry.name, lambda, alias }] : [],
    );
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: {
        shift: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              // The ARN of the alias itself would make a circle: the alias refers to its deployment group.
              resources: shifted.flatMap(({ lambda, alias }) => [
                lambda.functionArn,
                `${lambda.functionArn}:${alias.aliasName}`,
              ]),
            }),
            new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
          ],
        }),
      },
    });
    acknowledge(role, {
      'AwsSolutions-IAM5[Resource::*]': 'CodeDeploy looks for the alarm in a list, and cannot change an alarm.',
    });
    const application = new LambdaApplication(this, 'Application');
    const isGradual = rollout === 'gradual';
    const { CANARY_10PERCENT_5MINUTES, ALL_AT_ONCE } = LambdaDeploymentConfig;
    for (const { name, alias } of shifted) {
      new LambdaDeploymentGroup(this, name, {
        application,
        alias,
        alarms: [alarm],
        // The version that fails would hold up the one that corrects it.
        ignoreAlarmConfiguration: !isGradual,
        // Without this, each group would add a policy of AWS that allows changing every alias of the account.
        role: role.withoutPolicyUpdates(),
        deploymentConfig: isGradual ? CANARY_10PERCENT_5MINUTES : ALL_AT_ONCE,
      });
    }
  }
}
