import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { SegueClient } from '../../packages/client/segue-client.ts';
import { newProject } from '../../packages/client/test/world.ts';
import { FILE_FORMATS } from '../../packages/files/translation-file.ts';
import { blocks, ROOT, read } from '../docs/world.ts';
import { clockVariables } from '../support/child-environment.ts';
import { startGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const PACKAGE = join(ROOT, 'packages/client');
const MAX_BYTES = { installed: 1_200_000, inBrowser: 12_000 };

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

/** Exports, fills in and imports a file of each format. */
const EVERY_FORMAT = `
const { fillFile } = await import('segue-client/files');
for (const format of ${JSON.stringify(FILE_FORMATS)}) {
  const options = { languageCode: 'de-DE', format };
  const text = await exportFile(segue, projectId, options);
  if (!['csv', 'json'].includes(format)) await fillFile(segue, projectId, Buffer.from(text), options);
  const { untranslated } = await importFile(segue, text, { format, dryRun: true });
  console.log(format, untranslated);
}`;

const Packed = z.tuple([z.object({ filename: z.string(), unpackedSize: z.int() })]);

/** A folder of a user, into which the packed client is installed. */
const folder = mkdtempSync(join(tmpdir(), 'segue-packages-'));
let unpackedBytes = 0;
beforeAll(async () => {
  await run('npm', ['run', '--silent', 'build:client'], { cwd: ROOT });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  const [{ filename, unpackedSize }] = Packed.parse(JSON.parse(stdout));
  unpackedBytes = unpackedSize;
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--offline', `./${filename}`], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script of the user against a new gateway. */
async function runAsUser(node: string, script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const gateway = await startGateway();
  onTestFinished(async () => void (await gateway.stop()));
  const { url: baseUrl, companyId, apiKey } = gateway;
  const { id } = await new SegueClient({ baseUrl, companyId, apiKey }).createProject(newProject);
  const path = join(folder, 'script.mjs');
  writeFileSync(path, script);
  const account = { SEGUE_URL: baseUrl, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey, PROJECT_ID: String(id) };
  const { stdout, stderr } = await run(node, [path], { env: { ...clockVariables(), ...account, ...env }, cwd: folder });
  expect(stderr).toBe('');
  return stdout;
}

describe.each(NODES)('the client, installed from its package, on %s', (node) => {
  it('does what its README shows', async () => {
    const page = read('packages/client/README.md');
    expect(await runAsUser(node, blocks(page, 'js').join('\n'))).toBe(blocks(page, 'text').join());
  });

  it('does what docs/client.md shows', async () => {
    const page = read('docs/client.md');
    const printed = await runAsUser(node, blocks(page, 'js').join('\n'));
    expect(printed.replace(/^number A\n/m, '')).toBe(blocks(page, 'text').join());
  });

  it('does what docs/translators-files.md shows, in every format', async () => {
    const script = [...blocks(read('docs/translators-files.md'), 'js'), EVERY_FORMAT].join('\n');
    const printed = `0 0\n${FILE_FORMATS.map((format) => `${format} 1\n`).join('')}`;
    expect(await runAsUser(node, script)).toBe(printed);
  });

  it('can be required', async () => {
    const script =
      "console.log(typeof require('segue-client').SegueClient, typeof require('segue-client/files').exportFile)";
    expect((await run(node, ['--eval', script], { cwd: folder })).stdout).toBe('function function\n');
  });
});

describe('the types of the client', () => {
  const wrong = [
    '// @ts-expect-error',
    'await segue.createProject({ name: 1 });',
    '// @ts-expect-error',
    'await segue.deleteProject(project.id);',
    '// @ts-expect-error',
    'await segue.deleteProject(project.id, { taskId: undefined });',
    '// @ts-expect-error',
    'project.segments[0].id.length;',
    "import { hasDocumentedTypes, isHostedProgress } from 'segue-client';",
    'const found = await segue.getProgress(project.id);',
    '// @ts-expect-error',
    'hasDocumentedTypes(found);',
    '// @ts-expect-error',
    'found.total.toFixed();',
    'if (isHostedProgress(found)) found.total.toFixed();',
  ];
  const esm = [...blocks(read('docs/client.md'), 'js'), ...wrong].join('\n');
  const files = blocks(read('docs/translators-files.md'), 'js').join('\n');
  const cjs =
    "import { SegueClient } from 'segue-client';\nexport const make = (o: ConstructorParameters<typeof SegueClient>[0]) => new SegueClient(o);";

  it.each(['nodenext', 'preserve'])(
    'accept the code of the docs and refuse wrong code, with module %s',
    async (module) => {
      const scripts = { 'page.mts': esm, 'files.mts': files, 'page.cts': cjs };
      for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, name), text);
      const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', module, '--target', 'es2022'];
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
      await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...types, ...Object.keys(scripts)], { cwd: folder });
    },
  );
});

it('the client is small, and runs in a browser', async () => {
  expect(unpackedBytes).toBeLessThan(MAX_BYTES.installed);
  const options = { bundle: true, minify: true, platform: 'browser', format: 'esm', write: false } as const;
  const { outputFiles } = await build({
    ...options,
    entryPoints: [join(folder, 'node_modules/segue-client/dist/index.js')],
  });
  const [bytes = MAX_BYTES.inBrowser] = outputFiles.map(({ contents }) => gzipSync(contents).length);
  expect(bytes).toBeLessThan(MAX_BYTES.inBrowser);
});

it.each([
  ['publint', ['--strict']],
  ['attw', ['--pack', '--profile', 'node16']],
])('%s finds nothing in the package', async (program, options) => {
  const path = join(import.meta.dirname, 'node_modules/.bin', program);
  const args = program === 'attw' ? [...options, PACKAGE] : ['run', PACKAGE, ...options];
  await run(path, args, { cwd: PACKAGE });
});
