import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { encrypted, type Grant } from '../stores/grant.ts';
import type { FunctionEntry } from './catalogue.ts';

interface DeployedFunctionProps {
  readonly entry: FunctionEntry;
  /** The folder of the function's bundle. */
  readonly folder: string;
  readonly grants: readonly Grant[];
  readonly options: GatewayOptions;
}

/**
 * A Lambda function with its own log group and its own role. The role allows only writing the log, and what the grants
 * allow.
 */
export class DeployedFunction extends Construct {
  readonly entry: FunctionEntry;
  readonly lambda: LambdaFunction;
  readonly logGroup: LogGroup;
  readonly #policy: PolicyDocument;

  constructor(scope: Construct, id: string, { entry, folder, grants, options }: DeployedFunctionProps) {
    super(scope, id);
    this.entry = entry;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: options.logDays,
      ...encrypted(options),
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
    const reserved = options.reservedConcurrency?.[entry.name];
    this.lambda = new LambdaFunction(this, 'Lambda', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(folder),
      handler: 'index.handler',
      // This memory gives a whole CPU. Starting and parsing are CPU-bound, so they end sooner at the same cost.
      memorySize: 1769,
      timeout: Duration.seconds(entry.timeoutSeconds),
      role,
      logGroup: this.logGroup,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      environment: {
        ...Object.assign({}, ...grants.map(({ environment }) => environment)),
        ...(options.fipsEndpoints && { AWS_USE_FIPS_ENDPOINT: 'true' }),
      },
    });
    for (const { acknowledged = {} } of grants) acknowledge(role, acknowledged);
    acknowledge(this, {
      'Serverless-LambdaTracing':
        'Traces contain request paths, and therefore custom ids. Each request has a log line with its id and duration.',
      'Serverless-LambdaDLQ':
        'The gateway, Step Functions and Secrets Manager wait for the answer. Streams and schedules have their own dead-letter queues.',
    });
  }

  /** Adds statements to the function's role, for resources that are created after the role. */
  allow(...statements: readonly PolicyStatement[]): void {
    this.#policy.addStatements(...statements);
  }
}
