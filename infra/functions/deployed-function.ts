import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import type { Grant } from '../stores/grant.ts';

export interface DeployedFunctionProps {
  /** The folder that holds its bundle. */
  readonly folder: string;
  /** The longest that it may run. */
  readonly timeout: Duration;
  readonly grants: readonly Grant[];
  /** How many may run at once; as many as the account allows unless given. */
  readonly reservedConcurrency?: number | undefined;
  readonly options: GatewayOptions;
}

/** A Lambda with a log group and a role of its own, which allows its log and its grants and nothing else. */
export class DeployedFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logGroup: LogGroup;
  readonly #policy: PolicyDocument;

  constructor(scope: Construct, id: string, props: DeployedFunctionProps) {
    super(scope, id);
    const { folder, timeout, grants, reservedConcurrency, options } = props;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: options.logDays,
      removalPolicy: options.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const log = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [this.logGroup.logGroupArn],
    });
    this.#policy = new PolicyDocument({ statements: [log, ...grants.flatMap(({ statements }) => statements)] });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { access: this.#policy },
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
      logGroup: this.logGroup,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: Object.assign({}, ...grants.map(({ environment }) => environment)),
    });
    for (const { acknowledged = {} } of grants) acknowledge(role, acknowledged);
    this.#acknowledge();
  }

  /** Allows it something more, which is known only once there is more of the stack. */
  allow(...statements: readonly PolicyStatement[]): void {
    this.#policy.addStatements(...statements);
  }

  #acknowledge(): void {
    acknowledge(this, {
      'Serverless-LambdaTracing':
        'Traces keep the paths that were asked for, and with them custom ids; each request has one line in a log, with its id and duration.',
      'Serverless-LambdaDLQ':
        'Whoever calls waits for the answer: the gateway, Step Functions, Secrets Manager; streams and schedules have queues of their own.',
    });
  }
}
