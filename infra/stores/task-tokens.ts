import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Grant } from './grant.ts';

/** Grants reporting task tokens to Step Functions. */
export function grantTaskTokens(): Grant {
  const reason = 'A token names its execution. The permission could name only state machines, which other stacks have.';
  const findings = ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'];
  return {
    statements: [
      new PolicyStatement({
        actions: ['states:SendTaskSuccess', 'states:SendTaskFailure', 'states:SendTaskHeartbeat'],
        resources: ['*'],
      }),
    ],
    environment: {},
    acknowledged: Object.fromEntries(findings.map((finding) => [finding, reason])),
  };
}
