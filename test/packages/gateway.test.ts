import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { basicHeader } from '../../lib/contract/basic-credentials.ts';
import { START } from '../../packages/cli/start.ts';
import { blocks, ROOT, read } from '../docs/world.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { readyUrl, textOf } from '../support/gateway.ts';
import { smallProject } from '../support/projects.ts';

const run = promisify(execFile);
const PACKAGE = join(ROOT, 'dist/gateway');
/** The content of the files. On a disk they take half as much again. */
const MAX_INSTALLED_BYTES = 40_000_000;
const Packed = z.tuple([z.object({ filename: z.string() })]);
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);

/** A folder of a user, into which the packed gateway is installed. */
const folder = mkdtempSync(join(tmpdir(), 'segue-gateway-'));
const segue = join(folder, 'node_modules/.bin/segue');
beforeAll(async () => {
  await run('npm', ['run', '--silent', 'build:gateway'], { cwd: ROOT });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  const [{ filename }] = Packed.parse(JSON.parse(stdout));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const options = ['--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...options, `./${filename}`], { cwd: folder, env: { ...process.env, PATH } });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the service of the package on a free port, with its data in the user's folder. */
async function startAsUser() {
  const service = spawn(segue, ['start'], {
    cwd: folder,
    env: childEnvironment({ PATH, PORT: '0' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void service.kill());
  const text = textOf(service.stdout);
  const url = await readyUrl(service.stdout, text);
  const account = Object.fromEntries(
    Array.from(text().matchAll(/(SEGUE_\w+)=(\S+)/g), ([, name = '', value = '']) => [name, value]),
  );
  return { service, url, env: childEnvironment({ PATH, ...account }) };
}

describe('the gateway, installed from its package', () => {
  it('does what its README shows, serves its pages, and stops at Ctrl-C', async () => {
    const { service, url, env } = await startAsUser();
    const [, commands = ''] = blocks(read('packages/gateway/README.md'), 'sh');
    const { stdout } = await run('sh', ['-e', '-c', commands], { cwd: folder, env });
    expect(stdout).toMatch(/^Project \d+: 1 segment into de\.$/m);
    expect(stdout).toMatch(/First project/);
    const after = await run(segue, ['projects', 'list'], { cwd: folder, env });
    expect([after.stdout, after.stderr]).toEqual(['', 'No projects.\n']);
    for (const path of ['/docs', '/console', '/problems', '/openapi.json']) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    }
    expect((await run(segue, ['doctor'], { cwd: folder, env })).stdout).not.toContain('failed');
    service.kill('SIGINT');
    expect(await once(service, 'close')).toEqual([0, null]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('finds the program of the thread that reads contents', async () => {
    const { url, env } = await startAsUser();
    const headers = {
      Authorization: basicHeader({ companyId: env['SEGUE_COMPANY_ID'] ?? '', apiKey: env['SEGUE_API_KEY'] ?? '' }),
      'Content-Type': 'application/json',
    };
    const targetLanguages = [{ targetLanguageCode: 'de', serviceAutomaticTranslation: true }];
    const body = JSON.stringify(smallProject({ targetLanguages, segments: [{ content: '<p>Hello <b>you</b></p>' }] }));
    const created = await fetch(`${url}/segments/projects`, { method: 'POST', headers, body });
    const segments = `${url}${new URL(created.headers.get('Location') ?? '').pathname}/segments`;
    await expect
      .poll(async () => (await fetch(segments, { headers })).text(), EVENTUALLY)
      .toContain('<p>[Ĥéļļö <b>ýöû</b>…]</p>');
  });

  it('serves agents, with modules of packages that it does not depend on', async () => {
    const { url, env } = await startAsUser();
    const { SEGUE_COMPANY_ID: companyId = '', SEGUE_API_KEY: apiKey = '' } = env;
    const Authorization = basicHeader({ companyId, apiKey });
    const defined = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const overHttp = new Client({ name: 'test', version: '1' });
    await overHttp.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { Authorization } } }),
    );
    onTestFinished(() => overHttp.close());
    const overStreams = new Client({ name: 'test', version: '1' });
    await overStreams.connect(
      new StdioClientTransport({ command: segue, args: ['mcp'], cwd: folder, env: Object.fromEntries(defined) }),
    );
    onTestFinished(() => overStreams.close());
    for (const client of [overHttp, overStreams]) {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('createProject');
      const { isError } = await client.callTool({ name: 'listProjects', arguments: {} });
      expect(isError).toBeUndefined();
    }
    expect(readdirSync(join(folder, 'node_modules'))).not.toContain('@modelcontextprotocol');
  });

  it('has the licences of the packages that it contains', () => {
    const licenses = readFileSync(join(folder, 'node_modules/segue-gateway/THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(licenses).toMatch(/^@modelcontextprotocol\/sdk@[\d.]+ \(MIT\)$/m);
    expect(licenses).toContain('Copyright (c) 2024 Anthropic, PBC');
    expect(licenses).toMatch(/^preact@/m);
  });

  it('says its version, and completes commands', async () => {
    const env = childEnvironment({ PATH });
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
    expect((await run(segue, ['--version'], { env })).stdout).toBe(`${version}\n`);
    expect((await run(segue, ['completion', 'bash'], { env })).stdout).toContain('projects');
  });

  it('is small beside Node', () => {
    const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_INSTALLED_BYTES);
  });

  it('passes publint', async () => {
    await run(join(import.meta.dirname, 'node_modules/.bin/publint'), ['run', PACKAGE, '--strict']);
  });
});

it('segue start has the memory settings of npm start', () => {
  const { start } = z
    .object({ scripts: z.object({ start: z.string() }) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).scripts;
  const settings = Object.entries(START.env).map(([name, value]) => `${name}=${value}`);
  for (const setting of [...START.node, ...settings]) expect(start).toContain(setting);
});
