import * as z from 'zod/mini';
import type { SandboxLimits } from './limits.ts';

/** The first message to a sandbox process. */
export interface SandboxSetup {
  /** The source code of JSONata, as text. */
  readonly jsonata: string;
  readonly expression: string;
  readonly limits: SandboxLimits;
}

/** Every later message to a sandbox process: a request for one run. */
export interface SandboxRun {
  /** The input of the expression, as JSON. If it is absent, the expression is only parsed. */
  readonly input?: string;
  /** The time that the expression sees, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** The result of a run. Only `json` may contain content of the webhook message. */
export const RunResult = z.discriminatedUnion('kind', [
  /** `result`: the expression returned `json`, or nothing if `json` is absent. */
  z.strictObject({ kind: z.literal('result'), json: z.optional(z.string()) }),
  /**
   * `failed`: JSONata reported an error at `position`. `expected` is the symbol that should be there, and `index` the
   * number of the wrong argument.
   */
  z.strictObject({
    kind: z.literal('failed'),
    code: z.string(),
    position: z.number(),
    token: z.optional(z.string()),
    expected: z.optional(z.string()),
    /** The message of an `$assert`, which may contain parts of the webhook message. */
    asserted: z.optional(z.string()),
    index: z.optional(z.number()),
  }),
  /** `unusable`: the result is not a JSON value, or JSONata itself failed. The other kinds name the exceeded limit. */
  z.strictObject({ kind: z.enum(['unusable', 'too-large', 'time', 'memory']) }),
]);
export type RunResult = z.infer<typeof RunResult>;

/** The type of the JSONata function, as far as the program uses it. */
type Jsonata = (expression: string) => {
  assign(name: string, value: undefined): void;
  evaluate(input: unknown): Promise<unknown>;
};

/**
 * The program of a sandbox process. It runs one expression, any number of times. The process receives this function as
 * text, so the function may use only Node's built-in modules and nothing else of this file.
 */
export function sandboxProgram(): void {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const { setImmediate: afterMicrotasks } = process.getBuiltinModule('node:timers/promises');
  let messageMs = 0;
  /** A `Date` whose current time is that of the message. So every attempt at a message gets the same commands. */
  class MessageDate extends Date {
    constructor(at: number | string = messageMs) {
      super(at);
    }
  }

  process.on('disconnect', () => process.exit());
  process.once('message', ({ jsonata: source, expression, limits }: SandboxSetup) => {
    const { timeMs, processMiB, resultBytes } = limits;
    const watch = new Worker(`(${watchProcess})()`, { eval: true, env: {}, workerData: processMiB });
    const jsonata = loadJsonata(source);
    process.on('message', async ({ input, nowMs }: SandboxRun) => {
      const { user, system } = process.cpuUsage();
      watch.postMessage(user + system + timeMs * 1_000);
      messageMs = nowMs;
      const result = await run(input).catch(failure);
      watch.postMessage(undefined);
      process.send?.(result);
    });

    async function run(input: string | undefined): Promise<RunResult> {
      const parsed = jsonata(expression);
      if (input === undefined) return { kind: 'result' };
      // `random` and `shuffle` differ from run to run. `eval` could run text of a message. The docs exclude all five.
      const excluded = ['random', 'shuffle', 'eval', 'base64encode', 'base64decode'];
      for (const name of excluded) parsed.assign(name, undefined);
      // JSONata needs only microtasks. Fail after them: an object with a function `then` would make it wait for ever.
      const stuck = afterMicrotasks().then(() => Promise.reject(new TypeError()));
      const result: unknown = await Promise.race([parsed.evaluate(JSON.parse(input)), stuck]);
      const json: string | undefined = JSON.stringify(result, onlyJson);
      if (json === undefined) return { kind: 'result' };
      return Buffer.byteLength(json) > resultBytes ? { kind: 'too-large' } : { kind: 'result', json };
    }
  });

  function loadJsonata(source: string): Jsonata {
    const { runInThisContext } = process.getBuiltinModule('node:vm');
    const module = { exports: {} };
    const program = `((Date, module, exports) => { ${source}\n return module.exports; })`;
    return runInThisContext(program)(MessageDate, module, module.exports);
  }

  function onlyJson(_: string, value: unknown): unknown {
    const isFunction = typeof value === 'function' || Object(value)._jsonata_lambda || Object(value)._jsonata_function;
    if (isFunction || (typeof value === 'number' && !Number.isFinite(value))) throw new TypeError();
    return value;
  }

  function failure(error: unknown): RunResult {
    const { code, position = 0, token, value, index, message }: Record<string, unknown> = Object(error);
    if (!/^[A-Z]\d{4}$/.test(String(code)) || typeof position !== 'number') return { kind: 'unusable' };
    return {
      kind: 'failed',
      code: String(code),
      position,
      ...((typeof token === 'string' || typeof token === 'number') && { token: String(token) }),
      // In other errors, `value` may come from the webhook message.
      ...((code === 'S0202' || code === 'S0203') && { expected: String(value) }),
      ...(typeof index === 'number' && { index }),
      ...(code === 'D3141' && typeof message === 'string' && { asserted: message.slice(0, 200) }),
    };
  }

  /**
   * Kills the process when a run exceeds a limit: with SIGVTALRM for processor time, with SIGABRT for memory. This
   * function runs in a worker thread, because the mapping blocks the main thread.
   */
  function watchProcess(): void {
    const { parentPort, workerData: maxMiB } = process.getBuiltinModule('node:worker_threads');
    let timer: NodeJS.Timeout | undefined;
    parentPort?.on('message', (endMicroseconds?: number) => {
      clearInterval(timer);
      if (endMicroseconds === undefined) return;
      timer = setInterval(() => {
        // Measure processor time: the elapsed time also grows while the process is stopped or waits for a processor.
        const { user, system } = process.cpuUsage();
        if (user + system > endMicroseconds) process.kill(process.pid, 'SIGVTALRM');
        if (process.memoryUsage.rss() >= maxMiB * 1_048_576) process.kill(process.pid, 'SIGABRT');
      }, 10);
    });
  }
}
