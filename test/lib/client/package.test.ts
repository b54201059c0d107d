import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FILE_FORMATS } from '../../../lib/client/files/translation-file.ts';
import { SegueClient } from '../../../lib/client/segue-client.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { clockVariables } from '../../support/child-environment.ts';
import { startGateway } from '../../support/gateway.ts';
import { newProject } from './world.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
/** A folder inside the package, which may import itself by its name. */
const SNIPPETS = join(ROOT, 'dist/test-client');
const PAGE = readFileSync(join(ROOT, 'docs/client.md'), 'utf8');
const FILES_PAGE = readFileSync(join(ROOT, 'docs/translators-files.md'), 'utf8');
const blocks = (language: string, page = PAGE) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

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
const { fillFile } = await import('segue/client/files');
for (const format of ${JSON.stringify(FILE_FORMATS)}) {
  const options = { languageCode: 'de-DE', format };
  const text = await exportFile(segue, projectId, options);
  if (!['csv', 'json'].includes(format)) await fillFile(segue, projectId, Buffer.from(text), options);
  const { untranslated } = await importFile(segue, text, { format, dryRun: true });
  console.log(format, untranslated);
}`;

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

  it.each(NODES)('does what docs/translators-files.md shows, in every format, on %s', async (node) => {
    const gateway = await startGateway();
    onTestFinished(async () => void (await gateway.stop()));
    const { url: baseUrl, companyId, apiKey } = gateway;
    const { id } = await new SegueClient({ baseUrl, companyId, apiKey }).createProject(newProject);
    const script = join(SNIPPETS, 'files.mjs');
    writeFileSync(script, [...blocks('js', FILES_PAGE), EVERY_FORMAT].join('\n'));
    const account = { SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
    const env = { ...clockVariables(), SEGUE_URL: baseUrl, ...account, PROJECT_ID: String(id) };
    const { stdout, stderr } = await run(node, [script], { env, cwd: SNIPPETS });
    expect([stdout, stderr]).toEqual([`0 0\n${FILE_FORMATS.map((format) => `${format} 1\n`).join('')}`, '']);
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
    const files = join(SNIPPETS, 'files.mts');
    writeFileSync(files, blocks('js', FILES_PAGE).join('\n'));
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, '--types', 'node', script, files], { cwd: ROOT });
  });

  it('needs no other package', () => {
    const folder = dirname(join(ROOT, packageJson.exports['./client'].default));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    const imported = files.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/^import [^;]*from "([^"]+)";$/gm)].map(([, from]) => from),
    );
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !/^(?:node:|\.)/.test(name ?? ''))).toEqual([]);
  });

  it('is small, and runs in a browser', async () => {
    const entryPoints = [join(ROOT, packageJson.exports['./client'].default)];
    const options = { bundle: true, minify: true, platform: 'browser', format: 'esm', write: false } as const;
    const { outputFiles } = await build({ ...options, entryPoints });
    expect(outputFiles.map(({ contents }) => gzipSync(contents).length)).toEqual([
      expect.toSatisfy((size) => size < 12_000),
    ]);
  });

  it('has types that need no other package', () => {
    const read = new Set<string>();
    const visit = (path: string) => {
      if (read.has(path)) return;
      read.add(path);
      const imported = readFileSync(path, 'utf8').matchAll(/from ['"]([^'"]+)['"]/g);
      for (const [, from = ''] of imported) {
        expect(from, path).toMatch(/^\./);
        visit(join(dirname(path), from.replace(/\.ts$/, '.d.ts')));
      }
    };
    visit(join(ROOT, packageJson.exports['./client'].types));
    expect(read.size).toBeGreaterThan(3);
  });
});
