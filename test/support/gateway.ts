import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { basicHeader } from '../../lib/contract/credentials.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { childEnvironment } from './child-environment.ts';

const ROOT = join(import.meta.dirname, '../..');

export type StartProcess = ChildProcessByStdio<null, Readable, Readable>;

export interface StartedGateway {
  readonly url: string;
  readonly companyId: string;
  readonly apiKey: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
  /** The data folder. */
  readonly dataDir: string;
  readonly process: StartProcess;
  stdout(): string;
  stderr(): string;
  /** Sends SIGTERM, waits for the end, removes the data folder. Resolves with the exit code, `null` after a signal. */
  stop(): Promise<number | null>;
}

/** The scripts of package.json that serve. */
type Script = 'start' | 'simulator';

export interface StartOptions {
  /** What to start; `npm start` unless given. */
  readonly script?: Script;
  /** The service to pass on to. */
  readonly upstream?: { readonly url: string; readonly companyId: string; readonly apiKey: string };
  /** More flags. */
  readonly args?: readonly string[];
  /** More variables, or other values. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs what `npm start` runs, with nothing of this process's environment but what finds programs and sets the clock.
 * @param before a command of the shell that comes first
 * @param script another script of package.json that serves
 */
export function spawnStart(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  before = 'true',
  script: Script = 'start',
): StartProcess {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`;
  return spawn('sh', ['-c', `${before} && ${packageJson.scripts[script]} "$@"`, `npm run ${script}`, ...args], {
    cwd: ROOT,
    env: childEnvironment({ PATH: path, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Collects what a stream says, as text. */
export function textOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/**
 * Starts the local gateway as `npm start` does, on a free port, with an empty store and fixed credentials.
 * @throws with what it said on standard error, where it ends before it is ready
 */
export async function startGateway({
  script,
  upstream,
  args = [],
  env = {},
}: StartOptions = {}): Promise<StartedGateway> {
  const companyId = 'sandbox';
  const apiKey = 'a-key-for-tests-only';
  const dataDir = await mkdtemp(join(tmpdir(), 'segue-'));
  const variables = {
    PORT: '0',
    SEGUE_DATA_DIR: dataDir,
    SEGUE_COMPANY_ID: companyId,
    SEGUE_API_KEY: apiKey,
    ...(upstream && { SEGUE_UPSTREAM_COMPANY_ID: upstream.companyId, SEGUE_UPSTREAM_API_KEY: upstream.apiKey }),
    ...env,
  };
  const child = spawnStart([...(upstream ? ['--upstream', upstream.url] : []), ...args], variables, 'true', script);
  const ended = once(child, 'close');
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr);
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  const url = await Promise.race([readyUrl(child.stdout, stdout), ended.then(() => undefined)]);
  if (url === undefined) {
    await removeData();
    throw new Error(`The gateway did not start: ${stderr()}`);
  }
  return {
    url,
    companyId: env['SEGUE_COMPANY_ID'] ?? companyId,
    apiKey: env['SEGUE_API_KEY'] ?? apiKey,
    authorization: basicHeader({
      companyId: env['SEGUE_COMPANY_ID'] ?? companyId,
      apiKey: env['SEGUE_API_KEY'] ?? apiKey,
    }),
    dataDir: env['SEGUE_DATA_DIR'] ?? dataDir,
    process: child,
    stdout,
    stderr,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await removeData();
      return child.exitCode;
    },
  };
}

/** Waits for the line that says where Segue is ready. */
export function readyUrl(stream: Readable, text: () => string): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const url = /^Segue is ready at (http:\/\/127\.0\.0\.1:\d+)$/m.exec(text())?.[1];
      if (url !== undefined) resolve(url);
    };
    stream.on('data', look);
  });
}
