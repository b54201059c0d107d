import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const EMULATORS = join(import.meta.dirname, '../../.emulators');

/** An emulator that runs. */
export interface Emulator {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A folder of its own for an installation, which git ignores. One that is complete is left as it is.
 * @param install fills the folder; where it throws, it is made anew the next time
 */
export function installed(name: string, install: (folder: string) => void): string {
  const folder = join(EMULATORS, name);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(EMULATORS, '.gitignore'), '*\n');
  install(folder);
  // Written last: an installation that was interrupted is made anew.
  writeFileSync(complete, '');
  return folder;
}

/** Runs a program of an installation to its end. @throws where it fails */
export function run(program: string, args: readonly string[], cwd?: string): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], ...(cwd !== undefined && { cwd }) });
}

/**
 * Starts an emulator on a free port of this machine, and waits until it says which.
 * @param folder where it runs, and may write
 * @param port finds the port in a line of its output
 * @param variables beside those of this process
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
    // Read to the end: an emulator that writes a line a request would wait on a full pipe.
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
