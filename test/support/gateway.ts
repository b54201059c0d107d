import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { basicHeader } from '../../lib/contract/basic-credentials.ts';
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
  /** The path of the data folder. */
  readonly dataDir: string;
  readonly process: StartProcess;
  stdout(): string;
  stderr(): string;
  /**
   * Sends SIGTERM, waits for the end, and removes the data folder.
   * @returns the exit code, or `null` if a signal ended the process
   */
  stop(): Promise<number | null>;
}

/** The scripts of package.json that start a server. */
type Script = 'start' | 'simulator';

export interface StartOptions {
  /** The script to start. Default: `npm start`. */
  readonly script?: Script;
  /** The upstream service. */
  readonly upstream?: { readonly url: string; readonly companyId: string; readonly apiKey: string };
  /** Further flags. */
  readonly args?: readonly string[];
  /** Further variables, which may replace the default ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** A shell command that runs first. */
  readonly before?: string;
}

/**
 * Runs the command of `npm start`. Of this process's environment it passes only what finds programs and sets the clock.
 * @param before a shell command that runs first
 * @param script another script of package.json that starts a server
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

/** Collects the text of a stream. */
export function textOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/**
 * Starts the local gateway as `npm start` does, on a free port, with an empty store and fixed credentials.
 * @throws with the text of standard error, if the gateway ends before it is ready
 */
export async function startGateway({
  script,
  upstream,
  args = [],
  env = {},
  before,
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
  const child = spawnStart([...(upstream ? ['--upstream', upstream.url] : []), ...args], variables, before, script);
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

/** Waits for the line with the URL at which Segue, the simulator, or the server of `pattern` is ready. */
export function readyUrl(
  stream: Readable,
  text: () => string,
  pattern = /^(?:Segue|The simulator) is ready at (http:\/\/127\.0\.0\.1:\d+)$/m,
): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const url = pattern.exec(text())?.[1];
      if (url !== undefined) resolve(url);
    };
    stream.on('data', look);
  });
}
