import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { basicHeader } from '../../lib/contract/basic-credentials.ts';
import type { CliIo } from '../../packages/cli/io.ts';
import { run } from '../../packages/cli/program.ts';
import { childEnvironment } from './child-environment.ts';
import { type StartProcess, textOf } from './gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The arguments with which the `segue` command runs Node 24. */
const SEGUE = ['-r', './tools/require-node-24.cjs', '--disable-warning=ExperimentalWarning', 'packages/cli/segue.ts'];

/** The exit code and the output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command on a data folder, in a process of its own. */
export function segue(folder: string, ...args: readonly string[]): Promise<Ended> {
  return segueWith({ SEGUE_DATA_DIR: folder }, ...args);
}

/** Runs a command with other variables, in a process of its own. */
export async function segueWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  return endOf(spawnNode(env, [...SEGUE, ...args]));
}

/** Runs the `segue` command on a data folder, and sends it a signal once it writes to standard error. */
export async function segueUntil(
  { folder, said, signal }: { readonly folder: string; readonly said: string; readonly signal: NodeJS.Signals },
  ...args: readonly string[]
): Promise<Ended> {
  // The command passes every signal on to its program, except for SIGKILL.
  const program = signal === 'SIGKILL' ? SEGUE : ['bin/segue.mjs'];
  const child = spawnNode({ SEGUE_DATA_DIR: folder }, [...program, ...args]);
  const stderr = textOf(child.stderr);
  child.stderr.on('data', () => {
    if (!child.killed && stderr().includes(said)) child.kill(signal);
  });
  return endOf(child);
}

function spawnNode(env: Readonly<Record<string, string>>, args: readonly string[]) {
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function endOf(child: StartProcess): Promise<Ended> {
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = z.tuple([z.nullable(z.number()), z.unknown()]).parse(await once(child, 'close'));
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Runs a command on a data folder in this process, which is faster. */
export function segueHere(folder: string, ...args: readonly string[]): Promise<Ended> {
  return segueIn(folder, {}, ...args);
}

/** Runs a command in this process with other variables, or with other input, terminal or stop signal. */
export async function segueIn(
  folder: string,
  { env, err, ...io }: Partial<CliIo>,
  ...args: readonly string[]
): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  const code = await run(args, {
    env: { SEGUE_DATA_DIR: folder, ...env },
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
      err?.(text);
    },
    ...io,
  });
  return { code, stdout, stderr };
}

/** Returns the rows of a printed table without its headings, with two spaces between columns. */
export function rowsIn(stdout: string): string {
  return stdout.replace(/^[A-Z]{2}.*\n/, '').replaceAll(/ {2,}/g, '  ');
}

/** A key of a company, as a partner gets it. */
export interface PartnerKey {
  readonly companyId: string;
  readonly apiKey: string;
  readonly keyId: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
}

/** Returns the key that a command printed on its own line. */
export function printedKey(companyId: string, { stdout, stderr }: Ended): PartnerKey {
  const apiKey = /^API key: (seg_\w+)$/m.exec(stdout)?.[1];
  if (apiKey === undefined) throw new Error(`No key was printed: ${stderr}`);
  const [, keyId = ''] = apiKey.split('_');
  return { companyId, apiKey, keyId, authorization: basicHeader({ companyId, apiKey }) };
}

/** Adds a company, and returns its key. */
export async function addCompany(folder: string, companyId: string, ...options: readonly string[]) {
  return printedKey(companyId, await segueHere(folder, 'company', 'add', companyId, ...options));
}
