import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { basicHeader } from '../../lib/contract/basic.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { readyUrl, type StartedGateway, spawnStart, startGateway, textOf } from '../support/gateway.ts';
import { segueHere } from '../support/segue.ts';

const run = promisify(execFile);

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a start that ends by itself. */
async function endedStart(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawnStart(args, { SEGUE_DATA_DIR: await temporaryFolder(), PORT: '0', ...env });
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr);
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), stderr: stderr() };
}

/** A start without the credentials that tests set. */
const OWN_KEY = { SEGUE_COMPANY_ID: '', SEGUE_API_KEY: '' };

const printedKey = ({ stdout }: StartedGateway) => /^export SEGUE_API_KEY=(seg_\w{47})$/m.exec(stdout())?.[1];

/** Creates a project with the printed request, in a shell that has these variables or those of the gateway. */
async function createFirst(gateway: StartedGateway): Promise<unknown> {
  const request = /^curl [\s\S]*?^EOF\n/m.exec(gateway.stdout())?.[0] ?? '';
  const { url: SEGUE_URL, companyId: SEGUE_COMPANY_ID, apiKey: SEGUE_API_KEY } = gateway;
  const PATH = `${process.env['PATH']}:${join(import.meta.dirname, '../support/bin')}`;
  const env = { ...process.env, PATH, SEGUE_URL, SEGUE_COMPANY_ID, SEGUE_API_KEY };
  return JSON.parse((await run('sh', ['-c', request], { env })).stdout);
}

/** The text of every file in a folder, by its path there. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      paths.map(async (path) => [relative(folder, path), await readFile(path, 'latin1')] satisfies [string, string]),
    ),
  );
}

it('the sandbox key is kept for its owner alone, and is the same at the next start', async () => {
  const folder = join(await temporaryFolder(), 'data');
  const env = { ...OWN_KEY, SEGUE_DATA_DIR: folder };
  const first = await startGateway({ env });
  const key = printedKey(first);
  expect(await first.stop()).toBe(0);
  const files = await filesIn(folder);
  expect([...files].filter(([, text]) => key && text.includes(key))).toEqual([['sandbox-keys/sandbox', `${key}\n`]]);
  const modes = ['', 'sandbox-keys', 'sandbox-keys/sandbox'].map(async (path) => (await stat(join(folder, path))).mode);
  expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o600]);

  const second = await startGateway({ env });
  onTestFinished(async () => void (await second.stop()));
  expect(printedKey(second)).toBe(key);
  const headers = { Authorization: basicHeader({ companyId: 'sandbox', apiKey: key ?? '' }) };
  expect((await fetch(`${second.url}/segments/projects`, { headers })).status).toBe(200);
});

it('two first starts at once print the same key, and another company has another key', async () => {
  const SEGUE_DATA_DIR = await temporaryFolder();
  const start = async (SEGUE_COMPANY_ID: string) => {
    const gateway = await startGateway({ env: { ...OWN_KEY, SEGUE_COMPANY_ID, SEGUE_DATA_DIR } });
    onTestFinished(async () => void (await gateway.stop()));
    return printedKey(gateway);
  };
  const [one, same, other] = await Promise.all([start('acme'), start('acme'), start('other')]);
  expect(one).toMatch(/^seg_/);
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

it('a key that a person has set is neither printed nor written, and the printed request works with it', async () => {
  const SEGUE_API_KEY = "it's-a-$(quoted)-key";
  const gateway = await startGateway({ env: { SEGUE_API_KEY } });
  onTestFinished(async () => void (await gateway.stop()));
  expect(await createFirst(gateway)).toMatchObject({ name: 'Spring catalogue', id: expect.any(Number) });
  expect(gateway.stdout()).toMatch(
    /^In another terminal, set SEGUE_API_KEY .*\n\nexport SEGUE_URL=http:\/\/127\.0\.0\.1:\d+ SEGUE_COMPANY_ID=sandbox\n\nThen /,
  );
  const files = await filesIn(gateway.dataDir);
  expect(files.has('segue.db')).toBe(true);
  for (const text of [gateway.stdout(), gateway.stderr(), ...files.values()]) expect(text).not.toContain(SEGUE_API_KEY);
  expect([...files.keys()].filter((path) => path.startsWith('sandbox-keys'))).toEqual([]);
});

it('a start as a suspended company says so, and how to resume it', async () => {
  const env = { SEGUE_COMPANY_ID: 'acme', SEGUE_DATA_DIR: await temporaryFolder() };
  await (await startGateway({ env })).stop();
  expect(await segueHere(env.SEGUE_DATA_DIR, 'company', 'suspend', 'acme')).toMatchObject({ code: 0 });
  const gateway = await startGateway({ env });
  onTestFinished(async () => void (await gateway.stop()));
  expect(gateway.stdout()).toMatch(
    /\n\nacme is suspended: every request gets 401 until you run\nnpm run segue -- company resume acme\n\nSegue is ready at \S+\n$/,
  );
  const headers = { Authorization: gateway.authorization };
  expect((await fetch(`${gateway.url}/segments/projects`, { headers })).status).toBe(401);
});

it.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with 0 and frees the port', async (signal) => {
  const gateway = await startGateway();
  const { port } = new URL(gateway.url);
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  gateway.process.kill(signal);
  await once(gateway.process, 'exit');
  expect(await gateway.stop()).toBe(0);
  const [error] = await once(connect(Number(port), '127.0.0.1'), 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});

it('SIGTERM to npm start alone ends everything with 0', async () => {
  const child = spawn('npm', ['start', '--silent'], {
    env: childEnvironment({ PORT: '0', SEGUE_DATA_DIR: await temporaryFolder() }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stdout = textOf(child.stdout);
  const ended = once(child, 'close');
  const url = await readyUrl(child.stdout, stdout);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

it('a signal that comes twice, as from a terminal, is one', async () => {
  const gateway = await startGateway();
  gateway.process.kill('SIGINT');
  gateway.process.kill('SIGTERM');
  gateway.process.kill('SIGINT');
  await once(gateway.process, 'exit');
  expect(await gateway.stop()).toBe(0);
});

it('what was created is there after a new start', async () => {
  const env = { SEGUE_DATA_DIR: await temporaryFolder() };
  const first = await startGateway({ env });
  const created = await createFirst(first);
  expect(await first.stop()).toBe(0);
  const second = await startGateway({ env });
  try {
    const headers = { Authorization: second.authorization };
    const listed = await (await fetch(`${second.url}/segments/projects`, { headers })).json();
    const { id } = z.object({ id: z.int() }).parse(created);
    expect(listed).toMatchObject([{ id }]);
    expect(await (await fetch(`${second.url}/segments/projects/${id}`, { headers })).json()).toEqual(created);
  } finally {
    await second.stop();
  }
});

/** Prepares a start that fails. @returns variables to set */
type Obstacle = (folder: string) => Promise<Readonly<Record<string, string>>>;

async function put(file: string, text: string): Promise<Record<string, string>> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return {};
}

it.each<[string, string[], Obstacle, RegExp]>([
  [
    'a key file without a key',
    [],
    (folder) => put(join(folder, 'sandbox-keys/sandbox'), 'SUPERSECRET'),
    /^segue: the file .+sandbox-keys\/sandbox does not hold an API key: delete it, .*\n$/,
  ],
  [
    'a key file that cannot be made',
    [],
    (folder) => put(join(folder, 'sandbox-keys'), ''),
    /^segue: the file .+ of the sandbox key cannot be used: E\w+; set SEGUE_DATA_DIR to another folder\n$/,
  ],
  [
    'signing keys that are not JSON',
    [],
    (folder) => put(join(folder, 'signing-keys.json'), 'SUPERSECRET'),
    /^segue: the file .+signing-keys\.json does not hold signing keys: move it away.*\n$/,
  ],
  [
    'signing keys of another shape',
    [],
    (folder) => put(join(folder, 'signing-keys.json'), '{"keys":[{"id":"SUPERSECRET","secret":"short"}]}'),
    /^segue: the file .+signing-keys\.json does not hold signing keys: move it away.*\n$/,
  ],
  [
    'a data folder that is a file',
    [],
    async (folder) => {
      await put(join(folder, 'file'), '');
      return { SEGUE_DATA_DIR: join(folder, 'file/below') };
    },
    /^segue: the data folder .+ cannot be used: .+; set SEGUE_DATA_DIR to another folder\n$/,
  ],
  [
    'a store of a newer format',
    [],
    async (folder) => {
      const store = new DatabaseSync(join(folder, 'segue.db'));
      store.exec('PRAGMA user_version = 999');
      store.close();
      return {};
    },
    /^segue: the store in \S+ has format 999, .*\n$/,
  ],
  ['a misspelt setting', [], async () => ({ SEGUE_COMPANYID: 'me' }), /^segue: SEGUE_COMPANYID is no setting .*\n$/],
  ['an unknown flag', ['--prot', '1'], async () => ({}), /^segue: the flags are --upstream.*\n$/],
])('rejects %s with one line that holds no secret, and with exit code 1', async (_, args, obstacle, line) => {
  const folder = await temporaryFolder();
  const { code, stdout, stderr } = await endedStart(args, { SEGUE_DATA_DIR: folder, ...(await obstacle(folder)) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(line);
  expect(stderr).not.toMatch(/SUPER|short/);
});

it('rejects a port in use with one line and exit code 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  expect(await endedStart([], { PORT: port })).toEqual({
    code: 1,
    stdout: '',
    stderr: `segue: port ${port} is in use by another process: set PORT to another port, such as PORT=8788, or PORT=0 for any free port\n`,
  });
});

it('settings that are set but empty are as good as not set', async () => {
  const behind = await startGateway();
  onTestFinished(() => void behind.stop());
  const front = await startGateway({
    upstream: behind,
    env: { SEGUE_UPSTREAM_SECRET: '', SEGUE_START_TOLERANCE_SECONDS: '' },
  });
  onTestFinished(() => void front.stop());
  const headers = { Authorization: front.authorization };
  expect((await fetch(`${front.url}/segments/projects`, { headers })).status).toBe(200);
});

it.each(['SIGTERM', 'SIGINT'] as const)('%s while it starts ends it with 0 before it is ready', async (signal) => {
  const folder = await temporaryFolder();
  const preload = join(folder, 'preload.cjs');
  // Sent as soon as it can be heard.
  await writeFile(
    preload,
    `process.on('newListener', (event) => event === '${signal}' && process.kill(process.pid, event));`,
  );
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, SEGUE_DATA_DIR: join(folder, 'data') };
  expect(await endedStart([], env)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('a store that another service began is not used', async () => {
  const SEGUE_DATA_DIR = await temporaryFolder();
  const gateway = await startGateway({ env: { SEGUE_DATA_DIR } });
  await gateway.stop();
  const account = { SEGUE_UPSTREAM_COMPANY_ID: 'acme', SEGUE_UPSTREAM_API_KEY: 'a-key' };
  expect(await endedStart(['--upstream', 'http://127.0.0.1:1'], { SEGUE_DATA_DIR, ...account })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'segue: The store was begun without --upstream: set SEGUE_DATA_DIR (or SEGUE_TABLE) to another one\n',
  });
});

it('the simulator and a Segue in front of it have a store each', async () => {
  const SEGUE_DATA_DIR = await temporaryFolder();
  const account = { SEGUE_UPSTREAM_COMPANY_ID: 'acme', SEGUE_UPSTREAM_API_KEY: 'a-key' };
  const args = ['--upstream', 'http://127.0.0.1:1'];
  const front = await startGateway({ args, env: { SEGUE_DATA_DIR, ...account } });
  await front.stop();
  await expect(startGateway({ script: 'simulator', env: { SEGUE_DATA_DIR } })).rejects.toThrow(
    'segue: The store was begun with --upstream',
  );
});
