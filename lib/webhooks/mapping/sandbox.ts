import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import jsonata from '#jsonata';
import { Problem } from '../../contract/problem.ts';
import type { SandboxLimits } from './limits.ts';
import { RunResult, type SandboxRun, type SandboxSetup, sandboxProgram } from './sandbox-program.ts';

/**
 * Runs expressions in separate processes. A process cannot use files, start programs, read environment variables or
 * compile code from strings.
 */
export interface Sandbox {
  /** Runs an expression. @throws {Problem} `unavailable` if the expression cannot be run now */
  run(expression: string, run: SandboxRun): Promise<RunResult>;
  /** Ends the processes. Runs in progress fail with `unavailable`. */
  close(): void;
}

/** A function that starts a process, such as Node's `spawn`. */
export type StartProcess = (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/**
 * How much longer a run may take than its limit of processor time, in milliseconds. After that, its process is killed,
 * and the run fails with `unavailable`.
 */
const GRACE_MS = 20_000;

/**
 * Creates a sandbox, which starts processes as needed. A process runs only one expression. After a run it stays idle
 * for the next run of its expression, until another expression needs a process. If a run exceeds a limit, its process
 * is killed.
 * @param atOnce how many expressions may run at once; further calls wait
 * @param startProcess starts a process; Node's `spawn` unless given
 */
export function sandbox(atOnce: number, limits: SandboxLimits, startProcess: StartProcess = spawn): Sandbox {
  const all = new Set<ChildProcess>();
  const idle = new Map<ChildProcess, string>();
  const waiting: (() => void)[] = [];
  let running = 0;

  function take(expression: string): ChildProcess {
    const [known] = [...idle].find(([, own]) => own === expression) ?? [];
    const [oldest] = idle.keys();
    if (known) idle.delete(known);
    else if (oldest && all.size >= atOnce) end(oldest);
    return known ?? start(expression);
  }

  function end(child: ChildProcess): void {
    idle.delete(child);
    all.delete(child);
    child.kill('SIGKILL');
  }

  async function runIn(child: ChildProcess, expression: string, run: SandboxRun): Promise<RunResult> {
    const ended = new AbortController();
    const { signal } = ended;
    const wallLimit = setTimeout(() => child.kill('SIGKILL'), limits.timeMs + GRACE_MS);
    child.ref();
    try {
      const answered = once(child, 'message', { signal }).then(([message]) => RunResult.parse(message));
      // Wait for `close` and not for `exit`, because `exit` may come before the last message.
      const closed = once(child, 'close', { signal }).then(([, by]) => resultOfSignal(by));
      child.send(run);
      const result = await Promise.race([answered, closed]);
      if (child.connected) idle.set(child, expression);
      return result;
    } catch (cause) {
      end(child);
      throw new Problem(
        'unavailable',
        {
          detail: 'The sandbox that runs mappings failed. The mapping may succeed at the next attempt.',
          retryAfterSeconds: 1,
        },
        { cause },
      );
    } finally {
      clearTimeout(wallLimit);
      ended.abort();
      child.unref();
      child.channel?.unref();
    }
  }

  function start(expression: string): ChildProcess {
    const { heapMiB, stackMiB } = limits;
    const isolation = ['--permission', '--allow-worker', '--disallow-code-generation-from-strings'];
    const memory = [`--max-old-space-size=${heapMiB}`, `--max-semi-space-size=${heapMiB / 16}`];
    const flags = [...isolation, ...memory, `--stack-size=${stackMiB * 1_000}`];
    // On Lambda, Node needs this variable to find its libraries.
    const { LD_LIBRARY_PATH } = process.env;
    const child = startProcess(process.execPath, [...flags, '--eval', `(${sandboxProgram})()`], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH },
    });
    all.add(child);
    giveWay(child);
    child.once('exit', () => {
      all.delete(child);
      idle.delete(child);
    });
    // Ignore errors here: a failed start or message also closes the process, and `runIn` handles that.
    child.on('error', () => {});
    child.send({ jsonata, expression, limits } satisfies SandboxSetup);
    return child;
  }

  return {
    async run(expression, run) {
      while (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      running++;
      try {
        return await runIn(take(expression), expression, run);
      } finally {
        running--;
        waiting.shift()?.();
      }
    },
    close: () => all.forEach(end),
  };
}

/**
 * Lets this process go first when processors are scarce: a client may wait for it, but nobody for a mapping. With a lower
 * priority, a mapping on a busy machine would get almost no time, and fail.
 */
function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already.
  }
}

/**
 * Returns the result of a run whose process was ended by a signal: `watchProcess` or V8 sends one at a limit.
 * @throws {Error} for any other signal, or none
 */
function resultOfSignal(signal: unknown): RunResult {
  if (signal === 'SIGVTALRM') return { kind: 'time' };
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') return { kind: 'memory' };
  throw new Error('The process of a mapping has ended');
}
