import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import jsonata from '#jsonata';
import { Problem } from '../../contract/problem.ts';
import type { MappingLimits } from './limits.ts';
import {
  type RunResult,
  SandboxAnswer,
  type SandboxRun,
  type SandboxSetup,
  sandboxProgram,
} from './sandbox-program.ts';

/** Runs expressions in processes that may not touch a file, start a program or see the environment. */
export interface Sandbox {
  /** @throws {Problem} `unavailable` if the expression cannot be run now */
  run(expression: string, run: SandboxRun): Promise<RunResult>;
  /** Ends the processes. Runs in progress fail with `unavailable`. */
  close(): void;
}

/** Starts a program. */
export type StartProcess = (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** How much longer than its processor time a run may take, in milliseconds. After that it is `unavailable`, not failed. */
const GRACE_MS = 20_000;

/**
 * Starts processes as they are needed. A process runs one expression only, so that it never holds messages of two sources.
 * It waits for the next message, until another expression needs its place. A run that exceeds a limit ends its process.
 * @param atOnce how many expressions run at once; others wait
 * @param startProcess Node's `spawn`, or a wrapper that sees what it starts
 */
export function sandbox(atOnce: number, limits: MappingLimits, startProcess: StartProcess = spawn): Sandbox {
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
      const answered = once(child, 'message', { signal }).then(([message]) => SandboxAnswer.parse(message));
      // Unlike `exit`, `close` comes after the last message.
      const closed = once(child, 'close', { signal }).then(([, by]) => resultOfSignal(by));
      child.send(run);
      const { result, isSpent } = await Promise.race([answered, closed]);
      if (isSpent) end(child);
      else idle.set(child, expression);
      return result;
    } catch (cause) {
      end(child);
      throw cause instanceof Problem ? cause : unavailable(cause);
    } finally {
      clearTimeout(wallLimit);
      ended.abort();
      child.unref();
      child.channel?.unref();
    }
  }

  function start(expression: string): ChildProcess {
    const flags = [
      '--permission',
      '--allow-worker',
      `--max-old-space-size=${limits.heapMiB}`,
      `--max-semi-space-size=${limits.heapMiB / 16}`,
      `--stack-size=${limits.stackMiB * 1_000}`,
    ];
    // On Lambda, Node finds its libraries by this variable.
    const { LD_LIBRARY_PATH } = process.env;
    const child = startProcess(process.execPath, [...flags, '--eval', `(${sandboxProgram})()`], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH },
    });
    all.add(child);
    child.once('exit', () => {
      all.delete(child);
      idle.delete(child);
    });
    // A failed start or message also closes the process, which `runIn` sees.
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
    close() {
      for (const child of all) end(child);
    },
  };
}

/** The result of a run whose process was ended: by its watch or by V8 at a limit, or by something else. */
function resultOfSignal(signal: unknown): SandboxAnswer {
  if (signal === 'SIGVTALRM') return { result: { kind: 'time' }, isSpent: true };
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') {
    return { result: { kind: 'memory' }, isSpent: true };
  }
  throw unavailable(new Error('The process of a mapping has ended'));
}

function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', { detail: 'A mapping cannot be run now.', retryAfterSeconds: 1 }, { cause });
}
