import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const EMULATORS = join(import.meta.dirname, '../../.emulators');

/** A running emulator. */
export interface Emulator {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Returns the folder of an installed emulator, which git ignores. If the emulator is not completely installed, it is
 * installed first.
 * @param install fills the empty folder. If it throws, the next call installs again
 */
export function installed(name: string, install: (folder: string) => void): string {
  const folder = join(EMULATORS, name);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(EMULATORS, '.gitignore'), '*\n');
  install(folder);
  // This file is written last, so that an interrupted installation is repeated.
  writeFileSync(complete, '');
  return folder;
}

/** Runs a program to its end. @throws an error if the program fails */
export function run(program: string, args: readonly string[], cwd?: string): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], ...(cwd !== undefined && { cwd }) });
}

/**
 * Starts an emulator on a free port of this machine, and waits until it prints the port.
 * @param folder the emulator's working directory
 * @param port matches the line of output with the port, and captures the port
 * @param variables environment variables for the emulator, in addition to those of this process
 */
export async function start(
  folder: string,
  program: string,
  args: readonly string[],
  port: RegExp,
  variables: Readonly<Record<string, string>> = {},
): Promise<Emulator> {
  const env = { ...process.env, ...variables };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    // The output is read to its end. Otherwise an emulator that logs each request would block when the pipe is full.
    createInterface(stream).on('line', (line) => {
      const [, found] = port.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  }
  const found = await Promise.race([listening, ended.then(() => undefined)]);
  if (found === undefined) throw new Error(`${program} did not start`);
  return {
    url: `http://127.0.0.1:${found}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
