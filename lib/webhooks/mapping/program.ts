import type { Answer, Ran } from './ran.ts';

/**
 * What runs where a mapping does. Both functions are handed over as text, since neither a process nor a thread of its own
 * can import from a bundle: they name nothing but their arguments and what Node has by itself.
 */

/** What a thread gets. */
export interface ThreadData {
  /** The text of JSONata. */
  readonly jsonata: string;
  readonly expression: string;
  /** JSON; absent where the expression is only to be read. */
  readonly input?: string;
  /** What the expression takes for now, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Of the result as JSON. */
  readonly mostBytes: number;
}

/** What a process is asked. */
export interface Asked {
  /** The text of `inThread`. */
  readonly thread: string;
  readonly data: ThreadData;
  readonly limits: {
    readonly timeMs: number;
    readonly heapMiB: number;
    readonly processMiB: number;
    readonly stackMiB: number;
  };
}

/**
 * Runs an expression in a context that has JSONata and the language's own objects, and nothing that leads out of it:
 * only texts go in and come out.
 */
export function inThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { constants, createContext, runInContext } = process.getBuiltinModule('node:vm');
  const { jsonata, expression, input, nowMs, mostBytes }: ThreadData = workerData;
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    // a run is over when the call below returns, whatever it awaited
    microtaskMode: 'afterEvaluate',
  });
  Object.assign(context, { expression, input, nowMs });
  runInContext('Date = class extends Date { constructor(...at) { super(...(at.length ? at : [nowMs])); } };', context);
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
        const read = jsonata(expression);
        // what differs from run to run, and what would make a program of a message
        for (const name of ['random', 'shuffle', 'eval']) read.assign(name, undefined);
        text = input === undefined ? undefined : JSON.stringify(await read.evaluate(JSON.parse(input)), onlyJson);
        kind = 'result';
      } catch (error) {
        ({ code: text, position = 0, token, value: expected, index } = Object(error));
        kind = 'failed';
      }
    })()`,
    context,
  );
  const [kind, text, position, token, expected, index]: unknown[] = [
    'kind',
    'text',
    'position',
    'token',
    'expected',
    'index',
  ].map((name) => runInContext(name, context));
  parentPort?.postMessage(came());

  function came(): Ran {
    if (kind === 'result' && text === undefined) return { kind };
    if (typeof text !== 'string') return { kind: 'unusable' };
    if (kind === 'result') return Buffer.byteLength(text) > mostBytes ? { kind: 'too-large' } : { kind, json: text };
    if (!/^[A-Z]\d{4}$/.test(text) || typeof position !== 'number') return { kind: 'unusable' };
    return {
      kind: 'failed',
      code: text,
      position,
      ...((typeof token === 'string' || typeof token === 'number') && { token: String(token) }),
      // in other errors this field is a value, perhaps one of the message
      ...(/^S020[23]$/.test(text) && typeof expected === 'string' && { expected }),
      ...(typeof index === 'number' && { index }),
    };
  }
}

/**
 * Runs one thread after the other, and ends each where it takes too much. A single value may be too large for a thread
 * to be ended gently: then this process ends, and whoever asked it starts another.
 */
export function inProcess(): void {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  process.on('disconnect', () => process.exit());
  process.on('message', ({ thread, data, limits }: Asked) => {
    const takes = (mebibytes: number) => process.memoryUsage.rss() >= mebibytes * 1_048_576;
    const answer = (answered: Answer, then = () => {}) => process.send?.(answered, then);
    let ran: Ran = { kind: 'memory' };
    const worker = new Worker(thread, {
      eval: true,
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: limits.heapMiB,
        maxYoungGenerationSizeMb: limits.heapMiB / 4,
        stackSizeMb: limits.stackMiB,
      },
      workerData: data,
    });
    const before = process.cpuUsage();
    const meter = setInterval(() => {
      // Processor time, because a process that is stopped or has to wait says nothing about its mapping.
      const { user, system } = process.cpuUsage(before);
      if (user + system > limits.timeMs * 1_000) {
        ran = { kind: 'time' };
        void worker.terminate();
      }
      if (!takes(limits.processMiB)) return;
      // at once: what the thread is doing cannot be interrupted
      answer({ ran: { kind: 'memory' }, isSpent: true }, () => process.kill(process.pid, 'SIGKILL'));
    }, 10);
    worker.once('message', (message: Ran) => {
      ran = message;
      void worker.terminate();
    });
    worker.once('error', (error) => {
      ran = { kind: 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'unusable' };
    });
    worker.once('exit', () => {
      clearInterval(meter);
      // what one run has left is not counted against the next
      answer({ ran, isSpent: takes(limits.processMiB / 2) });
    });
  });
}
