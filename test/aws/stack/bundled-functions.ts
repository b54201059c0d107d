import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import type { FunctionName } from '../../../infra/functions/catalogue.ts';

const Answer = z.object({ id: z.int(), result: z.optional(z.unknown()), error: z.optional(z.string()) });

interface BundledFunctionsOptions {
  /** The folder of the bundles, which has a folder for each function. */
  readonly folder: string;
  /** Returns the environment variables of a function. */
  readonly variablesOf: (name: FunctionName) => Promise<Readonly<Record<string, string>>>;
}

/** The bundles of a stack's functions, each in a thread with its own environment variables. */
export class BundledFunctions implements AsyncDisposable {
  readonly #options: BundledFunctionsOptions;
  readonly #functions = new Map<FunctionName, Promise<BundledFunction>>();

  constructor(options: BundledFunctionsOptions) {
    this.#options = options;
  }

  /**
   * Calls a function. The first call starts it.
   * @throws an error with the message of the function's error
   */
  async call(name: FunctionName, event: unknown, remainingMs = 29_000): Promise<unknown> {
    const started = this.#functions.get(name) ?? this.#start(name);
    this.#functions.set(name, started);
    return (await started).call(event, remainingMs);
  }

  async #start(name: FunctionName): Promise<BundledFunction> {
    const { folder, variablesOf } = this.#options;
    const bundle = pathToFileURL(join(folder, name, 'index.mjs')).href;
    return new BundledFunction(bundle, await variablesOf(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#functions.values()].map(async (started) => (await started).stop()));
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

class BundledFunction {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;

  constructor(bundle: string, variables: Readonly<Record<string, string>>) {
    const path = join(import.meta.dirname, 'function-worker.ts');
    // The functions log to standard error, which nobody reads here.
    this.#worker = new Worker(path, { workerData: { bundle }, env: { ...variables }, stderr: true });
    this.#worker.on('message', (message: unknown) => this.#settle(message));
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error('The thread failed')));
  }

  call(event: unknown, remainingMs: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#calls;
    this.#waiting.set(id, { resolve, reject });
    this.#worker.postMessage({ id, event, remainingMs });
    return promise;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(message: unknown): void {
    const { id, result, error } = Answer.parse(message);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
