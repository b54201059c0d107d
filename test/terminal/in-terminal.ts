import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { textOf } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Ctrl-C, as a terminal sends it. */
export const CTRL_C = '\x03';

/** A command in a terminal. */
export interface InTerminal {
  /** Returns what the terminal has shown until now, with its control sequences. */
  shown(): string;
  /** Waits until the terminal shows a text. */
  until(text: string): Promise<void>;
  /** Types on the keyboard. */
  type(text: string): void;
  /** The exit code. */
  readonly ended: Promise<unknown>;
}

/** Starts the `segue` command in a terminal of its own. */
export function inTerminal(env: Readonly<Record<string, string>>, ...args: readonly string[]): InTerminal {
  return startInTerminal(env, [process.execPath, 'bin/segue.mjs', ...args]);
}

/** Starts a program in a terminal of its own, which `script` of util-linux makes. */
export function startInTerminal(env: Readonly<Record<string, string>>, words: readonly string[]): InTerminal {
  // Without `exec`, the shell would get Ctrl-C too, and end with an exit code of its own.
  const command = `exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: ROOT,
    env: childEnvironment({ TERM: 'xterm', SHELL: '/bin/sh', ...env }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const shown = textOf(child.stdout);
  const ended = once(child, 'close').then(([code]) => code);
  return {
    shown,
    ended,
    type: (text) => void child.stdin.write(text),
    async until(text) {
      while (!shown().includes(text)) {
        const isOpen = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
        if (!isOpen && !shown().includes(text)) throw new Error(`The command ended without ${text}: ${shown()}`);
      }
    },
  };
}
