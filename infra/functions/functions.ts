import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { bundleFolders } from '#bundle-folders';
import { functionOptions, type GatewayOptions } from '../options.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { serverOf } from '../services.ts';
import { encrypted } from '../stores/grant.ts';
import { createDeadLetterQueue } from '../stores/queues.ts';
import type { Stores } from '../stores/stores.ts';
import { addQueue, addSchedule, addStream } from './add-triggers.ts';
import { accessOf, type FunctionName, functionsOf } from './catalogue.ts';
import { DeployedFunction } from './deployed-function.ts';
import { callsServer, FunctionNetwork } from './function-network.ts';
import type { FunctionLog } from './function-spec.ts';

/** The functions of a gateway, with their triggers and logs. */
export class GatewayFunctions {
  /** The place in a VPC of the functions that call a server of the operator. Defined with the option `vpc` only. */
  readonly network: FunctionNetwork | undefined;
  readonly #functions = new Map<FunctionName, DeployedFunction>();
  /** The logs that the functions share. With a log for each function, each would need metric filters of its own. */
  readonly logs: Readonly<Record<FunctionLog, LogGroup>>;
  /** The queue for the dead letters of all streams. A message says which function it was for. */
  readonly letters: Queue;
  readonly #deadLetters: readonly Queue[];

  constructor(scope: Construct, stores: Stores, options: GatewayOptions) {
    const { name: service } = options.service;
    const folderOf = bundleFolders(scope, service);
    const letters = createDeadLetterQueue(scope, 'DeadLetters', options);
    this.letters = letters;
    const createLog = (log: FunctionLog) =>
      new LogGroup(scope, `${log}Log`, {
        retention: options.logDays,
        ...encrypted(options),
        removalPolicy: removalPolicyOf(options),
      });
    this.logs = { Http: createLog('Http'), Tasks: createLog('Tasks'), Background: createLog('Background') };
    this.#deadLetters = [letters, ...(stores.jobs ? [stores.jobs.deadLetters] : [])];
    const server = serverOf(options.service);
    if (options.vpc && server !== undefined) {
      this.network = new FunctionNetwork(scope, 'Network', { ...options, vpc: options.vpc, server });
    }
    const has = functionOptions(options);
    for (const entry of functionsOf(service, has)) {
      const { name, log, stream, queue, schedule } = entry;
      const needed = accessOf(entry, service, has);
      const network = callsServer(needed) ? this.network : undefined;
      const grants = [...stores.grantsFor(needed), ...(network ? [network.grant()] : [])];
      const id = name.charAt(0).toUpperCase() + name.slice(1);
      const props = { entry, folder: folderOf(name), grants, logGroup: this.logs[log], options, network };
      const deployed = new DeployedFunction(scope, id, props);
      this.#functions.set(name, deployed);
      if (stream) addStream(deployed, stores[stream.table], letters, stream);
      if (queue && stores.jobs) addQueue(deployed, stores.jobs.queue, queue);
      if (schedule) addSchedule(deployed, schedule);
    }
  }

  /** Returns whether the gateway has a function. */
  has(name: FunctionName): boolean {
    return this.#functions.has(name);
  }

  /** Returns a function with its log group. @throws {RangeError} if the gateway has no such function */
  get(name: FunctionName): DeployedFunction {
    const deployed = this.#functions.get(name);
    if (deployed === undefined) throw new RangeError(`This gateway has no Lambda function ${name}`);
    return deployed;
  }

  /** Returns the Lambda function alone. @throws {RangeError} if the gateway has no such function */
  lambda(name: FunctionName): LambdaFunction {
    return this.get(name).lambda;
  }

  /** Returns a function for its callers: by its alias, if it has one. @throws {RangeError} if there is no such function */
  live(name: FunctionName): IFunction {
    return this.get(name).live;
  }

  /** Returns all functions. */
  all(): DeployedFunction[] {
    return [...this.#functions.values()];
  }

  /** Returns the dead-letter queues: that of streams, and that of the queue of jobs if there is one. */
  deadLetterQueues(): readonly Queue[] {
    return this.#deadLetters;
  }
}
