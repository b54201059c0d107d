import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { clockVariables } from '../../support/child-environment.ts';
import { startGateway } from '../../support/gateway.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
/** A folder inside the package, which may import itself by its name. */
const SNIPPETS = join(ROOT, 'dist/test-client');
const PAGE = readFileSync(join(ROOT, 'docs/client.md'), 'utf8');
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

/** The Node that runs the tests, and the Node that is installed beside it. */
const NODES = [
  process.execPath,
  ...(process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .slice(0, 1),
];

beforeAll(async () => {
  await run('sh', ['-c', packageJson.scripts['build:client']], { cwd: ROOT });
  mkdirSync(SNIPPETS, { recursive: true });
});
afterAll(() => rmSync(SNIPPETS, { recursive: true, force: true }));

describe('the package', () => {
  it.each(NODES)('does what docs/client.md shows, on %s', async (node) => {
    const gateway = await startGateway();
    onTestFinished(async () => void (await gateway.stop()));
    const script = join(SNIPPETS, 'page.mjs');
    writeFileSync(script, blocks('js').join('\n'));
    const account = { SEGUE_COMPANY_ID: gateway.companyId, SEGUE_API_KEY: gateway.apiKey };
    const env = { ...clockVariables(), SEGUE_URL: gateway.url, ...account };
    const { stdout, stderr } = await run(node, [script], { env });
    expect([stdout, stderr]).toEqual([blocks('text').join(), '']);
  });

  it('has its own types, which accept the code of docs/client.md and refuse wrong code', async () => {
    const script = join(SNIPPETS, 'page.mts');
    const wrong = [
      '// @ts-expect-error',
      'await segue.createProject({ name: 1 });',
      '// @ts-expect-error',
      'await segue.deleteProject(project.id);',
      '// @ts-expect-error',
      'await segue.deleteProject(project.id, { taskId: undefined });',
      '// @ts-expect-error',
      'project.segments[0].id.length;',
    ];
    writeFileSync(script, [...blocks('js'), ...wrong].join('\n'));
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, '--types', 'node', script], { cwd: ROOT });
  });

  it('needs no other package', () => {
    const code = readFileSync(join(ROOT, packageJson.exports['./client'].default), 'utf8');
    const imported = [...code.matchAll(/^import [^;]*from "([^"]+)";$/gm)].map(([, name]) => name);
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([]);
  });
});
