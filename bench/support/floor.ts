import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { Connection } from './connection.ts';

const SERVER = fileURLToPath(new URL('../floor/server.ts', import.meta.url));
/** The path of a bare program that receives webhook messages, for comparison. Its second argument is the secret. */
export const RECEIVER = fileURLToPath(new URL('../floor/receiver.ts', import.meta.url));

/** Creates a temporary folder, which is deleted at the end of the block. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'segue-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A bare `node:http` server in its own process, for comparison with Segue. */
export interface FloorServer extends AsyncDisposable {
  connect(): Promise<Connection>;
}

/**
 * Starts a bare server in its own process.
 * @param folder the folder of its database
 * @param args more arguments for the program
 */
export async function startFloorServer(
  folder: string,
  program = SERVER,
  ...args: readonly string[]
): Promise<FloorServer> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, folder, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const port = await Promise.race([once(lines, 'line').then(([line]) => String(line)), ended.then(() => undefined)]);
  lines.close();
  if (port === undefined) throw new Error('The floor’s server did not start');
  return {
    connect: () => Connection.open(`http://127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
