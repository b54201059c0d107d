import { join } from 'node:path';
import { Stack, Stage } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { bundlesIn, ROOT } from '../bundle.ts';
import { functionOptions, type GatewayOptions } from '../options.ts';
import type { Stores } from '../stores/stores.ts';
import { addQueue, addSchedule, addStream } from './add-triggers.ts';
import { type AlarmGroup, type FunctionName, functionsOf } from './catalogue.ts';
import { DeployedFunction } from './deployed-function.ts';

/**
 * The folder used as every function's code when the CDK needs no code, as for `cdk ls` and `cdk destroy`. It saves
 * seconds of bundling.
 */
const SOURCES = join(ROOT, 'functions');

/** The triggers of functions that have a dead-letter queue. */
export type Trigger = 'stream' | 'queue' | 'schedule';

/** The functions of a gateway, with their triggers. */
export class GatewayFunctions {
  readonly #functions = new Map<FunctionName, DeployedFunction>();
  readonly #deadLetters = new Map<string, Queue>();

  constructor(scope: Construct, stores: Stores, options: GatewayOptions) {
    const { name: service } = options.service;
    const folderOf = Stack.of(scope).bundlingRequired
      ? bundlesIn(Stage.of(scope)?.outdir ?? '.', service)
      : () => SOURCES;
    for (const entry of functionsOf(service, functionOptions(options))) {
      const { name, access, stream, queue, schedule } = entry;
      const grants = stores.grantsFor(access[service] ?? {});
      const id = name.charAt(0).toUpperCase() + name.slice(1);
      const deployed = new DeployedFunction(scope, id, { entry, folder: folderOf(name), grants, options });
      this.#functions.set(name, deployed);
      if (stream) this.#deadLetters.set(`${name} stream`, addStream(deployed, stores[stream.table], stream, options));
      if (queue && stores.jobs) {
        addQueue(deployed, stores.jobs.queue, queue);
        this.#deadLetters.set(`${name} queue`, stores.jobs.deadLetters);
      }
      if (schedule) this.#deadLetters.set(`${name} schedule`, addSchedule(deployed, schedule, options));
    }
  }

  /** Returns a function with its log group. @throws {RangeError} if the gateway's service has no such function */
  get(name: FunctionName): DeployedFunction {
    const deployed = this.#functions.get(name);
    if (deployed === undefined) throw new RangeError(`This gateway has no Lambda function ${name}`);
    return deployed;
  }

  /** Returns the Lambda function alone. @throws {RangeError} if the gateway's service has no such function */
  lambda(name: FunctionName): LambdaFunction {
    return this.get(name).lambda;
  }

  /** Returns the functions of an alarm group. A group may have fewer functions for one service than for the other. */
  inGroup(group: AlarmGroup): DeployedFunction[] {
    return [...this.#functions.values()].filter(({ entry }) => entry.alarmGroup === group);
  }

  /** Returns the dead-letter queue of a function's trigger. @throws {RangeError} if the function has no such trigger */
  deadLetters(name: FunctionName, trigger: Trigger): Queue {
    const queue = this.#deadLetters.get(`${name} ${trigger}`);
    if (queue === undefined) throw new RangeError(`${name} has no ${trigger}`);
    return queue;
  }

  /** Returns the dead-letter queues of all triggers. */
  allDeadLetters(): Queue[] {
    return [...this.#deadLetters.values()];
  }
}
