import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Architecture, Code, type IFunction, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { LAMBDA_RECOGNIZE_VERSION_PROPS } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import type { Grant } from '../stores/grant.ts';
import { BEHIND_API, memoryOf } from './capacity.ts';
import type { FunctionEntry } from './catalogue.ts';
import type { FunctionNetwork } from './function-network.ts';

interface DeployedFunctionProps {
  readonly entry: FunctionEntry;
  /** The folder of the function's bundle. */
  readonly folder: string;
  readonly grants: readonly Grant[];
  /** The log that the function shares with others. */
  readonly logGroup: LogGroup;
  readonly options: GatewayOptions;
  /** The place of the function in a VPC, if it is in one. */
  readonly network: FunctionNetwork | undefined;
}

/**
 * A Lambda function with its own role. The role allows only writing the log, and what the grants allow.
 */
export class DeployedFunction extends Construct {
  readonly entry: FunctionEntry;
  readonly lambda: LambdaFunction;
  /**
   * The alias of the newest version, if the function has versions. Only functions behind the API have some: their callers
   * see each failure. All others are called again after a failure, so Lambda replaces their code.
   */
  readonly alias: Alias | undefined;
  readonly logGroup: LogGroup;
  /** Whether the function has a concurrency of its own, beyond which Lambda refuses to invoke it. */
  readonly isReserved: boolean;
  readonly #policy: PolicyDocument;

  constructor(
    scope: Construct,
    id: string,
    { entry, folder, grants, logGroup, options, network }: DeployedFunctionProps,
  ) {
    super(scope, id);
    // Without this flag, a changed tag or reservation would need a new version, which Lambda refuses for the same code.
    this.node.setContext(LAMBDA_RECOGNIZE_VERSION_PROPS, true);
    this.entry = entry;
    this.logGroup = logGroup;
    const log = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    this.#policy = new PolicyDocument({ statements: [log, ...grants.flatMap(({ statements }) => statements)] });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { access: this.#policy },
    });
    const reserved = options.reservedConcurrency?.[entry.name];
    this.isReserved = reserved !== undefined;
    this.lambda = new LambdaFunction(this, 'Lambda', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(folder),
      handler: 'index.handler',
      memorySize: memoryOf(entry.name, options),
      timeout: Duration.seconds(entry.timeoutSeconds),
      role,
      logGroup,
      ...network?.settings,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      environment: {
        ...Object.assign({}, ...grants.map(({ environment }) => environment)),
        ...(options.fipsEndpoints && { AWS_USE_FIPS_ENDPOINT: 'true' }),
      },
      // A running call, and a rollback by hand, need an earlier version. A version whose deployment failed must go:
      // Lambda would refuse to publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    if (options.rollout !== 'in-place' && BEHIND_API.has(entry.name)) {
      const provisioned = options.provisionedConcurrency?.[entry.name];
      this.alias = new Alias(this, 'Live', {
        aliasName: 'live',
        version: this.lambda.currentVersion,
        ...(provisioned !== undefined && { provisionedConcurrentExecutions: provisioned }),
      });
    }
    for (const { acknowledged = {} } of grants) acknowledge(role, acknowledged);
    acknowledge(this, {
      'Serverless-LambdaTracing':
        'Traces contain request paths, and therefore custom ids. Each request has a log line with its id and duration.',
      'Serverless-LambdaDLQ':
        'The gateway, Step Functions and Secrets Manager wait for the answer. Streams have a dead-letter queue, and the next run of a schedule does the work of one that failed.',
    });
  }

  /** The function for callers: its alias, or the function itself if it has no versions. */
  get live(): IFunction {
    return this.alias ?? this.lambda;
  }

  /** Adds statements to the function's role, for resources that are created after the role. */
  allow(...statements: readonly PolicyStatement[]): void {
    this.#policy.addStatements(...statements);
  }
}
