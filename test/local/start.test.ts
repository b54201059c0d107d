import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { claimStore } from '../../lib/storage/store-owner.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { readyUrl, spawnStart, startGateway, textOf } from '../support/gateway.ts';
import { asObject, smallProject } from '../support/projects.ts';

async function start(env: Readonly<Record<string, string>>) {
  const gateway = await startGateway({ env });
  onTestFinished(async () => void (await gateway.stop()));
  const headers = { Authorization: gateway.authorization };
  return { ...gateway, list: () => fetch(`${gateway.url}/segments/projects`, { headers }) };
}

/** Runs a start that ends by itself. */
async function endedStart(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawnStart(args, { PORT: '0', ...env });
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr);
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Returns the text of every file in a folder, by its path there. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'latin1')] as const);
  return new Map(await Promise.all(texts));
}

it('keeps its key readable by its owner only, and key and projects until the next start', async () => {
  const folder = join(temporaryFolder(), 'data');
  const printedKey = (stdout: string) => /^export SEGUE_API_KEY=(seg_\w{47})$/m.exec(stdout)?.[1] ?? '';
  const first = await startGateway({ env: { SEGUE_COMPANY_ID: '', SEGUE_API_KEY: '', SEGUE_DATA_DIR: folder } });
  const key = printedKey(first.stdout());
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify(smallProject());
  const created = await (await fetch(`${first.url}/segments/projects`, { method: 'POST', headers, body })).json();
  // A terminal sends one signal twice.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) first.process.kill(signal);
  await once(first.process, 'exit');
  expect(await first.stop()).toBe(0);
  const files = await filesIn(folder);
  expect([...files].filter(([, text]) => text.includes(key))).toEqual([['sandbox-keys/sandbox', `${key}\n`]]);
  const modes = ['', 'sandbox-keys', 'sandbox-keys/sandbox'].map(async (path) => (await stat(join(folder, path))).mode);
  expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o600]);

  const second = await start({ SEGUE_COMPANY_ID: '', SEGUE_API_KEY: '', SEGUE_DATA_DIR: folder });
  expect(printedKey(second.stdout())).toBe(key);
  const { id } = asObject(created);
  expect(await (await fetch(`${second.url}/segments/projects/${id}`, { headers })).json()).toEqual(created);
  expect(await second.stop()).toBe(0);
  const [error] = await once(connect(Number(new URL(second.url).port), '127.0.0.1'), 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});

it('neither prints nor stores a key that the user set, and says if the company is suspended', async () => {
  const SEGUE_DATA_DIR = temporaryFolder();
  const env = { SEGUE_DATA_DIR, SEGUE_COMPANY_ID: 'acme', SEGUE_API_KEY: "it's-a-$(quoted)-key" };
  const first = await start(env);
  expect((await first.list()).status).toBe(200);
  expect(first.stdout()).toMatch(
    /^In another terminal, set SEGUE_API_KEY .*\n\nexport SEGUE_URL=http:\/\/127\.0\.0\.1:\d+ SEGUE_COMPANY_ID=acme SEGUE_DATA_DIR='[^']+'\n\nThen /,
  );
  await first.stop();
  const files = await filesIn(SEGUE_DATA_DIR);
  expect(files.has('segue.db')).toBe(true);
  for (const text of [first.stdout(), first.stderr(), ...files.values()]) expect(text).not.toContain('quoted');
  expect([...files.keys()].filter((path) => path.startsWith('sandbox-keys'))).toEqual([]);

  await companiesIn(openSqlite(Date.now, SEGUE_DATA_DIR), Date.now).setState('acme', 'suspended');
  const second = await start(env);
  expect(second.stdout()).toMatch(
    /\n\nacme is suspended: every request gets 403 until you run\nnpx --no-install segue company resume acme\n\nSegue is ready at \S+\n$/,
  );
  const refused = await second.list();
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { detail: 'The company is suspended: ask the operator of Segue to resume it. Segue did nothing.' },
  ]);
});

it('ends with 0 if npm alone gets the signal', async () => {
  const child = spawn('npm', ['start', '--silent'], {
    env: childEnvironment({ PORT: '0', SEGUE_DATA_DIR: temporaryFolder() }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const url = await readyUrl(child.stdout, textOf(child.stdout));
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

it('ends with 0 before it is ready if a signal comes during the start', async () => {
  const folder = temporaryFolder();
  const preload = join(folder, 'preload.cjs');
  // The signal is sent as soon as the process can receive it.
  await writeFile(
    preload,
    `process.on('newListener', (event) => event === 'SIGTERM' && process.kill(process.pid, event));`,
  );
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, SEGUE_DATA_DIR: join(folder, 'data') };
  expect(await endedStart([], env)).toEqual({ code: 0, stdout: '', stderr: '' });
});

/**
 * Prepares a start that fails.
 * @returns variables
 */
type Obstacle = (folder: string) => Promise<Record<string, string>>;

it.each<[string, Obstacle, RegExp]>([
  [
    'signing keys of another shape',
    async (folder) => {
      await writeFile(join(folder, 'signing-keys.json'), '{"keys":[{"id":"SUPERSECRET","secret":"short"}]}');
      return {};
    },
    /^segue: the file .+signing-keys\.json does not contain signing keys: move the file away.*\n$/,
  ],
  [
    'a store that the ledger of an upstream owns',
    async (folder) => {
      await claimStore(openSqlite(Date.now, folder), 'upstream');
      return {};
    },
    /^segue: The store was created with --upstream: set SEGUE_DATA_DIR to another folder, or SEGUE_TABLE to another table\n$/,
  ],
  [
    'a port in use',
    async () => {
      const other = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void other.close());
      await once(other, 'listening');
      const { port } = asObject(other.address());
      return { PORT: String(port) };
    },
    /^segue: port \d+ is in use by another process: set PORT to another port, .*\n$/,
  ],
])('refuses %s in one line without a secret, with exit code 1', async (_, prepare, line) => {
  const folder = temporaryFolder();
  const env = { SEGUE_DATA_DIR: folder, ...(await prepare(folder)) };
  const { code, stdout, stderr } = await endedStart([], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(line);
  expect(stderr).not.toMatch(/SUPER|short/);
});
