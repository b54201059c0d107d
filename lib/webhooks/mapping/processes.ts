import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import jsonata from '#jsonata';
import { Problem } from '../../contract/problem.ts';
import type { MappingLimits } from './limits.ts';
import { type Asked, inProcess, inThread, type ThreadData } from './program.ts';
import { Answer, type Ran } from './ran.ts';

/** Processes that run expressions. */
export interface Processes {
  /** @throws {Problem} `unavailable` where it could not be run */
  run(data: Pick<ThreadData, 'expression' | 'input' | 'nowMs'>): Promise<Ran>;
  /** Ends them. Whatever is still running is `unavailable`. */
  close(): void;
}

/** Starts a program. */
export type StartProcess = (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** How much longer than its processor time a run may take, in milliseconds. After that it is `unavailable`, not failed. */
const GRACE_MS = 20_000;

/**
 * Runs expressions in threads, each of which is in a process of its own as long as it lasts: a thread that asks for one
 * huge value takes its process along, whatever limit it has. A process that survives waits for the next. None of them may
 * touch a file or start a program, and the expression's context leads to nothing of Node.
 * @param atOnce how many run at once; others wait
 * @param startProcess Node's `spawn`, or one that watches what it starts
 */
export function processes(atOnce: number, limits: MappingLimits, startProcess: StartProcess = spawn): Processes {
  const all = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;

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
    const child = startProcess(process.execPath, ['--permission', '--allow-worker', '--eval', `(${inProcess})()`], {
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
    async run(data) {
      while (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      running++;
      try {
        const thread = `(${inThread})()`;
        return await ask({ thread, data: { jsonata, mostBytes: limits.resultBytes, ...data }, limits });
      } finally {
        running--;
        waiting.shift()?.();
      }
    },
    close() {
      for (const child of all) child.kill('SIGKILL');
    },
  };
}

const MEMORY: Answer = { ran: { kind: 'memory' }, isSpent: true };

/** A process that V8 ended had no memory left; any other end is not the mapping's doing. */
function diedBy(signal: unknown): Answer {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') return MEMORY;
  throw unavailable(new Error('The process of a mapping has ended'));
}

function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', { detail: 'A mapping cannot be run now.', retryAfterSeconds: 1 }, { cause });
}
