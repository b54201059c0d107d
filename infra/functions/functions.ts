import { Duration, RemovalPolicy, Stage } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import { bundlesIn } from '../bundle.ts';
import type { GatewayOptions } from '../options.ts';
import type { Grant } from '../stores/grant.ts';
import type { Stores } from '../stores/stores.ts';
import { type AlarmGroup, type FunctionEntry, type FunctionName, functionsOf } from './catalogue.ts';
import { addSchedule, addStream } from './triggers.ts';

/** Every function of a gateway, with its triggers. */
export class GatewayFunctions {
  readonly #functions = new Map<FunctionName, DeployedFunction>();
  readonly #deadLetters = new Map<string, Queue>();

  constructor(scope: Construct, stores: Stores, options: GatewayOptions) {
    const { name: service } = options.service;
    const folderOf = bundlesIn(Stage.of(scope)?.outdir ?? '.', service);
    for (const entry of functionsOf(service)) {
      const { name, access, stream, schedule } = entry;
      const grants = stores.grantsFor(access[service] ?? {});
      const id = name.charAt(0).toUpperCase() + name.slice(1);
      const deployed = new DeployedFunction(scope, id, { entry, folder: folderOf(name), grants, options });
      this.#functions.set(name, deployed);
      if (stream) this.#deadLetters.set(`${name} stream`, addStream(deployed, stores[stream.table], stream));
      if (schedule) this.#deadLetters.set(`${name} schedule`, addSchedule(deployed, schedule));
    }
  }

  /** @throws {RangeError} if the service has no such function */
  get(name: FunctionName): DeployedFunction {
    const deployed = this.#functions.get(name);
    if (deployed === undefined) throw new RangeError(`There is no function ${name}`);
    return deployed;
  }

  /** @throws {RangeError} if the service has no such function */
  lambda(name: FunctionName): LambdaFunction {
    return this.get(name).lambda;
  }

  /** The functions of an alarm group that the service has. */
  inGroup(group: AlarmGroup): DeployedFunction[] {
    return [...this.#functions.values()].filter(({ entry }) => entry.alarmGroup === group);
  }

  /** The dead letters of a function's trigger. @throws {RangeError} if the service has no such trigger */
  deadLetters(name: FunctionName, trigger: 'stream' | 'schedule'): Queue {
    const queue = this.#deadLetters.get(`${name} ${trigger}`);
    if (queue === undefined) throw new RangeError(`${name} has no ${trigger}`);
    return queue;
  }

  /** The dead-letter queues of all triggers. */
  allDeadLetters(): Queue[] {
    return [...this.#deadLetters.values()];
  }
}

interface DeployedFunctionProps {
  readonly entry: FunctionEntry;
  /** The folder of its bundle. */
  readonly folder: string;
  readonly grants: readonly Grant[];
  readonly options: GatewayOptions;
}

/** A Lambda function with its own log group and its own role, which allows the log, the grants and nothing else. */
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
      // a whole CPU: starting and parsing are CPU-bound, so they cost the same and end sooner
      memorySize: 1769,
      timeout: Duration.seconds(entry.timeoutSeconds),
      role,
      logGroup: this.logGroup,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      environment: Object.assign({}, ...grants.map(({ environment }) => environment)),
    });
    for (const { acknowledged = {} } of grants) acknowledge(role, acknowledged);
    acknowledge(this, {
      'Serverless-LambdaTracing':
        'Traces contain request paths, and so custom ids. Each request has a log line with its id and duration.',
      'Serverless-LambdaDLQ':
        'The gateway, Step Functions and Secrets Manager wait for the answer. Streams and schedules have their own queues.',
    });
  }

  /** Adds statements to the role, for resources that are created after it. */
  allow(...statements: readonly PolicyStatement[]): void {
    this.#policy.addStatements(...statements);
  }
}
