import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The emulator of AWS that the tests run against. */
const MOTO = 'moto[server]==5.2.5';

const EMULATORS = join(import.meta.dirname, '../.emulators');

export interface Moto {
  /** Where every service of AWS is. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Installs moto, unless it is there, into a folder of its own that git ignores.
 * @returns the program
 * @throws where there is no Python 3 with pip, or moto cannot be had
 */
export function installMoto(): string {
  const folder = join(EMULATORS, MOTO.replaceAll(/[^a-z0-9.]+/g, '-'));
  const complete = join(folder, 'complete');
  const program = join(folder, 'bin', 'moto_server');
  if (existsSync(complete)) return program;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(EMULATORS, { recursive: true });
  writeFileSync(join(EMULATORS, '.gitignore'), '*\n');
  run('python3', ['-m', 'venv', folder]);
  run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', MOTO]);
  // Written last: an installation that was interrupted is made anew.
  writeFileSync(complete, '');
  return program;
}

/** Starts moto on a free port of this machine, and waits until it listens. */
export async function startMoto(program: string): Promise<Moto> {
  const moto = spawn(program, ['-H', '127.0.0.1', '-p', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(moto, 'close');
  const url = await Promise.race([listening(moto.stderr), ended.then(() => undefined)]);
  if (url === undefined) throw new Error('moto did not start');
  return {
    url,
    async stop() {
      moto.kill('SIGTERM');
      await ended;
    },
  };
}

function listening(stderr: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    // Read to the end: moto writes a line a request, and would wait on a full pipe.
    createInterface(stderr).on('line', (line) => {
      const [, url] = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}
