import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Grant } from './stores.ts';

export interface DeployedFunctionProps {
  /** The folder that holds its bundle. */
  readonly folder: string;
  readonly timeout: Duration;
  readonly grants: readonly Grant[];
}

/** A Lambda with a log group and a role of its own, which allows its log and its grants and nothing else. */
export class DeployedFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, { folder, timeout, grants }: DeployedFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const log = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        access: new PolicyDocument({ statements: [log, ...grants.map(({ statement }) => statement)] }),
      },
    });
    this.lambda = new LambdaFunction(this, 'Lambda', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(folder),
      handler: 'index.handler',
      // from here on a function has a whole CPU: starting and parsing are bound by it, and cost the same done faster
      memorySize: 1769,
      timeout,
      role,
      logGroup,
      environment: Object.assign({}, ...grants.map(({ environment }) => environment)),
    });
  }
}
