import * as z from 'zod/mini';
import type { SandboxLimits } from './limits.ts';

/** The first message to a process. */
export interface SandboxSetup {
  /** The source text of JSONata. */
  readonly jsonata: string;
  readonly expression: string;
  readonly limits: SandboxLimits;
}

/** Each further message to a process. */
export interface SandboxRun {
  /** JSON; absent if the expression is only parsed. */
  readonly input?: string;
  /** The time that the expression sees, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** The answer to a run. Only `json` holds anything of the message. */
export const RunResult = z.discriminatedUnion('kind', [
  /** JSON; absent if the expression gives nothing. */
  z.strictObject({ kind: z.literal('result'), json: z.optional(z.string()) }),
  /** An error of JSONata: its place in the expression, the symbol that it expects there, or the number of an argument. */
  z.strictObject({
    kind: z.literal('failed'),
    code: z.string(),
    position: z.number(),
    token: z.optional(z.string()),
    expected: z.optional(z.string()),
    index: z.optional(z.number()),
  }),
  /** `unusable`: the result is not a JSON value, or JSONata itself failed. */
  z.strictObject({ kind: z.enum(['unusable', 'too-large', 'time', 'memory']) }),
]);
export type RunResult = z.infer<typeof RunResult>;

/** The part of JSONata that the program uses. */
type Jsonata = (expression: string) => {
  assign(name: string, value: undefined): void;
  evaluate(input: unknown): Promise<unknown>;
};

/** The program of a process, which runs one expression any number of times. It is passed as text, so it uses only Node. */
export function sandboxProgram(): void {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const { setImmediate: afterMicrotasks } = process.getBuiltinModule('node:timers/promises');
  let messageMs = 0;
  /** Gives every attempt at a message the same time, and so the same commands. */
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
      // The first differ from run to run, `eval` runs a part of the message, and the documentation excludes the last.
      const excluded = ['random', 'shuffle', 'eval', 'base64encode', 'base64decode'];
      for (const name of excluded) parsed.assign(name, undefined);
      // JSONata waits for nothing but itself. An object with a function named `then` would make it wait for ever.
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
    const { code, position = 0, token, value, index }: Record<string, unknown> = Object(error);
    if (!/^[A-Z]\d{4}$/.test(String(code)) || typeof position !== 'number') return { kind: 'unusable' };
    return {
      kind: 'failed',
      code: String(code),
      position,
      ...((typeof token === 'string' || typeof token === 'number') && { token: String(token) }),
      // In other errors this field is a value, perhaps one of the message.
      ...((code === 'S0202' || code === 'S0203') && { expected: String(value) }),
      ...(typeof index === 'number' && { index }),
    };
  }

  /**
   * Kills the process when a run exceeds a limit: SIGVTALRM for processor time, SIGABRT for memory. It runs in a worker
   * thread, because the mapping blocks the main thread.
   */
  function watchProcess(): void {
    const { parentPort, workerData: maxMiB } = process.getBuiltinModule('node:worker_threads');
    let timer: NodeJS.Timeout | undefined;
    parentPort?.on('message', (endMicroseconds?: number) => {
      clearInterval(timer);
      if (endMicroseconds === undefined) return;
      timer = setInterval(() => {
        // Processor time, because a process that is stopped or has to wait says nothing about its mapping.
        const { user, system } = process.cpuUsage();
        if (user + system > endMicroseconds) process.kill(process.pid, 'SIGVTALRM');
        if (process.memoryUsage.rss() >= maxMiB * 1_048_576) process.kill(process.pid, 'SIGABRT');
      }, 10);
    });
  }
}
