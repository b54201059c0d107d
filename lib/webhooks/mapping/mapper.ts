import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import jsonata from '#jsonata';
import { parseJson } from '../../contract/json.ts';
import { Problem } from '../../contract/problem.ts';
import { MAPPING_LIMITS, type MappingLimits } from './limits.ts';
import { type Asked, inProcess, inThread } from './program.ts';
import { Answer, type Ran } from './ran.ts';

/** What a mapping is applied to. */
export interface MappingInput {
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value. */
  readonly body: unknown;
}

/** Applies mappings, each in a thread of its own that ends with it. */
export interface Mapper {
  /**
   * @param nowMs what the expression takes for now, so that it always gives the same; milliseconds since 1970
   * @returns a JSON value, `undefined` where the expression gives nothing
   * @throws {Problem} `mapping-failed`; `unavailable` where it could not be run
   */
  apply(expression: string, input: MappingInput, nowMs: number): Promise<unknown>;
  /** Reads an expression. @throws {Problem} `mapping-failed` where it has an error, with its position */
  check(expression: string): Promise<void>;
  /** Ends its processes. Whatever is still running in them is `unavailable`. */
  close(): void;
}

export interface MapperOptions {
  /** How many expressions are run at once; each takes a process, that then waits for the next. */
  readonly atOnce?: number;
  readonly limits?: MappingLimits;
}

/** Longer than a process may take to start, or to end a thread that can be ended. */
const GRACE_MS = 5_000;

/**
 * The mapper. Its threads are in processes of their own: a thread that asks for one huge value takes its process along,
 * whatever limit it has. None of them has files, a network, an environment or other processes to reach.
 */
export function mapper({ atOnce = 4, limits = MAPPING_LIMITS }: MapperOptions = {}): Mapper {
  const all = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Runs one at a time in each process, so that a process that dies takes no other's run along. */
  async function run(
    data: Pick<Asked['data'], 'expression' | 'nowMs'> & { readonly input?: string },
  ): Promise<unknown> {
    if (data.expression.length > limits.expressionCharacters) {
      throw failed(`The mapping is longer than ${limits.expressionCharacters} characters.`);
    }
    while (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      const thread = `(${inThread})()`;
      const mostBytes = limits.resultBytes;
      return resultOf(await ask({ thread, data: { jsonata, mostBytes, ...data }, limits }));
    } finally {
      running--;
      waiting.shift()?.();
    }
  }

  async function ask(asked: Asked): Promise<Ran> {
    const child = idle.pop() ?? start();
    const ended = new AbortController();
    const { signal } = ended;
    const patience = setTimeout(() => child.kill('SIGKILL'), limits.timeMs + GRACE_MS);
    child.ref();
    try {
      const answered = once(child, 'message', { signal }).then(([message]) => Answer.parse(message));
      // unlike its exit, this comes when everything that it said has been heard
      const died = once(child, 'close', { signal }).then(([, by]) => diedBy(by));
      child.send(asked);
      const { ran, isSpent } = await Promise.race([answered, died]);
      if (isSpent) child.kill('SIGKILL');
      else idle.push(child);
      return ran;
    } catch (cause) {
      child.kill('SIGKILL');
      throw cause instanceof Problem ? cause : unavailable(cause);
    } finally {
      clearTimeout(patience);
      ended.abort();
      child.unref();
      child.channel?.unref();
    }
  }

  function start(): ChildProcess {
    const { LD_LIBRARY_PATH } = process.env;
    const child = spawn(process.execPath, ['--permission', '--allow-worker', '--eval', `(${inProcess})()`], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // by which, on Lambda, Node finds its libraries
      env: LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH },
    });
    all.add(child);
    child.once('exit', () => {
      all.delete(child);
      const index = idle.indexOf(child);
      if (index !== -1) idle.splice(index, 1);
    });
    // heard by whoever asks it something
    child.on('error', () => {});
    return child;
  }

  return {
    apply: (expression, { headers, body }, nowMs) =>
      run({ expression, input: JSON.stringify({ headers, body }), nowMs }),
    check: async (expression) => void (await run({ expression, nowMs: 0 })),
    close() {
      for (const child of all) child.kill('SIGKILL');
    },
  };

  function resultOf(ran: Ran): unknown {
    switch (ran.kind) {
      case 'result':
        return ran.json === undefined ? undefined : resultIn(ran.json);
      case 'failed':
        throw failed(`The mapping fails at position ${ran.position}, with ${ran.code} of JSONata.`);
      case 'unusable':
        throw failed('The mapping fails, or gives something that is no JSON value.');
      case 'too-large':
        throw failed(`The mapping gives more than ${limits.resultBytes} bytes.`);
      case 'time':
        throw failed(`The mapping ran for more than ${limits.timeMs} ms.`);
      case 'memory':
        throw failed(`The mapping needed more than ${limits.heapMiB} MiB.`);
    }
  }
}

const MEMORY: Answer = { ran: { kind: 'memory' }, isSpent: true };

/** A process that V8 ended had no memory left; any other end is not the mapping's doing. */
function diedBy(signal: unknown): Answer {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') return MEMORY;
  throw unavailable(new Error('The process of a mapping has ended'));
}

function resultIn(json: string): unknown {
  try {
    return parseJson(Buffer.from(json), MAPPING_LIMITS.levels);
  } catch (cause) {
    throw new Problem('mapping-failed', { detail: 'The mapping gives something that is nested too deep.' }, { cause });
  }
}

function failed(detail: string): Problem {
  return new Problem('mapping-failed', { detail });
}

function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', { detail: 'A mapping cannot be run now.', retryAfterSeconds: 1 }, { cause });
}
