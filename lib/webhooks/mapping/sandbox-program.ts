import * as z from 'zod/mini';
import type { MappingLimits } from './limits.ts';

/** What a process gets once, at its start. */
export interface SandboxSetup {
  /** The source text of JSONata. */
  readonly jsonata: string;
  readonly expression: string;
  readonly limits: Pick<MappingLimits, 'timeMs' | 'processMiB' | 'resultBytes'>;
}

/** What a process gets for each run. */
export interface SandboxRun {
  /** JSON; absent if the expression is only parsed. */
  readonly input?: string;
  /** The time that the expression sees, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** The result of a run. Only `json` holds anything of the message. */
export const RunResult = z.discriminatedUnion('kind', [
  /** JSON; absent if the expression gives nothing. */
  z.strictObject({ kind: z.literal('result'), json: z.optional(z.string()) }),
  /** An error of JSONata. */
  z.strictObject({
    kind: z.literal('failed'),
    code: z.string(),
    /** Where the error is in the expression. */
    position: z.number(),
    /** The part of the expression that the error is about. */
    token: z.optional(z.string()),
    /** The symbol that JSONata expects there. */
    expected: z.optional(z.string()),
    /** The number of the argument, from 1. */
    index: z.optional(z.number()),
  }),
  /** `unusable`: the result is not a JSON value, or JSONata itself failed. */
  z.strictObject({ kind: z.enum(['unusable', 'too-large', 'time', 'memory']) }),
]);
export type RunResult = z.infer<typeof RunResult>;

/** What a process answers to a run. */
export const SandboxAnswer = z.strictObject({
  result: RunResult,
  /** Whether the process holds too much memory for another run. */
  isSpent: z.boolean(),
});
export type SandboxAnswer = z.infer<typeof SandboxAnswer>;

/**
 * The program of a process, which runs one expression any number of times. It is passed as text, so it uses nothing but Node.
 * Each run has a new context, which holds JSONata and the objects of the language: the permissions of Node 24 do not cover
 * the network, and a run must not see the message of another. Only texts and numbers cross the border of the context.
 */
export function sandboxProgram(): void {
  const { constants, createContext, runInContext } = process.getBuiltinModule('node:vm');
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  process.on('disconnect', () => process.exit());
  process.once('message', ({ jsonata, expression, limits }: SandboxSetup) => {
    const { timeMs, processMiB, resultBytes } = limits;
    const watch = new Worker(`(${watchProcess})()`, { eval: true, env: {}, workerData: processMiB });
    process.on('message', ({ input, nowMs }: SandboxRun) => {
      watch.postMessage(processorMs() + timeMs);
      const result = run(input, nowMs);
      watch.postMessage(undefined);
      const isSpent = process.memoryUsage.rss() >= (processMiB / 2) * 1_048_576;
      process.send?.({ result, isSpent } satisfies SandboxAnswer);
    });

    function run(input: string | undefined, nowMs: number): RunResult {
      const context = createContext(constants.DONT_CONTEXTIFY, {
        codeGeneration: { strings: false, wasm: false },
        // A run ends when `runInContext` returns, whatever it awaits.
        microtaskMode: 'afterEvaluate',
      });
      Object.assign(context, { expression, input, nowMs });
      runInContext(
        'Date = class extends Date { constructor(...at) { super(...(at.length ? at : [nowMs])); } };',
        context,
      );
      runInContext(jsonata, context);
      runInContext(
        `var kind = '', text = '', position = 0, token, expected, index;
        (async () => {
          const isFunction = (value) =>
            typeof value === 'function' || (value && (value._jsonata_lambda || value._jsonata_function));
          const onlyJson = (_, value) => {
            if (isFunction(value) || (typeof value === 'number' && !Number.isFinite(value))) throw new TypeError();
            return value;
          };
          try {
            const parsed = jsonata(expression);
            // These differ from run to run, or run a part of the message as an expression.
            for (const name of ['random', 'shuffle', 'eval']) parsed.assign(name, undefined);
            text = input === undefined ? undefined : JSON.stringify(await parsed.evaluate(JSON.parse(input)), onlyJson);
            kind = 'result';
          } catch (error) {
            ({ code: text, position = 0, token, value: expected, index } = Object(error));
            kind = 'failed';
          }
        })()`,
        context,
      );
      const names = ['kind', 'text', 'position', 'token', 'expected', 'index'];
      const [kind, text, position, token, expected, index] = names.map((name): unknown => runInContext(name, context));
      if (kind === 'result' && text === undefined) return { kind };
      if (typeof text !== 'string') return { kind: 'unusable' };
      if (kind === 'result')
        return Buffer.byteLength(text) > resultBytes ? { kind: 'too-large' } : { kind, json: text };
      if (!/^[A-Z]\d{4}$/.test(text) || typeof position !== 'number') return { kind: 'unusable' };
      return {
        kind: 'failed',
        code: text,
        position,
        ...((typeof token === 'string' || typeof token === 'number') && { token: String(token) }),
        // In other errors this field is a value, perhaps one of the message.
        ...(/^S020[23]$/.test(text) && typeof expected === 'string' && { expected }),
        ...(typeof index === 'number' && { index }),
      };
    }
  });

  function processorMs(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }

  /** Runs in a thread, since a run occupies the first one. Ends the process at a limit, by a signal that says which. */
  function watchProcess(): void {
    const { parentPort, workerData: mostMiB } = process.getBuiltinModule('node:worker_threads');
    let timer: NodeJS.Timeout | undefined;
    parentPort?.on('message', (endMs?: number) => {
      clearInterval(timer);
      if (endMs === undefined) return;
      timer = setInterval(() => {
        // Processor time, because a process that is stopped or has to wait says nothing about its mapping.
        const { user, system } = process.cpuUsage();
        if (user + system > endMs * 1_000) process.kill(process.pid, 'SIGVTALRM');
        if (process.memoryUsage.rss() >= mostMiB * 1_048_576) process.kill(process.pid, 'SIGABRT');
      }, 10);
    });
  }
}
