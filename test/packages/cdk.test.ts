import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { readSettings } from '../../infra/context.ts';
import * as infra from '../../infra/index.ts';
import { SegueStack } from '../../infra/stack.ts';
import { gatewayOutputs } from '../../packages/cli/stack-deployment.ts';
import { CONTEXTS, type Context, everyOption } from '../../tools/contexts.ts';
import { blocks, ROOT, read } from '../docs/world.ts';
import { deployedOutputs, isOfBoth, READ_BY_CLI } from '../infra/deployed-outputs.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { type Assembly, readAssembly, UserApp } from './cdk/user-app.ts';

vi.setConfig({ testTimeout: MUCH_WORK_MS });

const run = promisify(execFile);
const PACKAGE = join(ROOT, 'dist/cdk');
/** The oldest Node that the package accepts, or this one if `npm run test:packages` has none for this platform. */
const OLDEST_NODE = [join(import.meta.dirname, 'node_modules/.bin/node'), process.execPath].find(existsSync);

const Versions = z.record(z.string(), z.string());
const { devDependencies: present } = z.object({ devDependencies: Versions }).parse(JSON.parse(read('package.json')));
const { peerDependencies: peers } = z
  .object({ peerDependencies: Versions })
  .parse(JSON.parse(read('packages/cdk/package.json')));
const Packed = z.tuple([z.object({ filename: z.string(), size: z.int(), unpackedSize: z.int() })]);
const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });
const WithOutputs = z.object({ Outputs: z.record(z.string(), z.object({ Value: z.unknown() })) });

/** Adds the version that this repository uses to a package's name. */
const withVersion = (name: string) => `${name}@${present[name]}`;

/** The settings of the stacks in `cdk/every-option.ts`. */
const SETTINGS: Readonly<Record<string, Context>> = {
  Hosted: CONTEXTS.hosted,
  Upstream: CONTEXTS.upstream,
  HostedEveryOption: everyOption('hosted'),
  UpstreamEveryOption: everyOption('upstream'),
};
const EVERY_OPTION_APP = read('test/packages/cdk/every-option.ts');
const [README_APP = ''] = blocks(read('packages/cdk/README.md'), 'ts');

/** Synthesises the stacks of `SETTINGS` from this repository, where the functions are bundled on demand. */
function synthesiseHere(outdir: string, context: Context): Assembly {
  const app = new App({ outdir, context });
  for (const [name, settings] of Object.entries(SETTINGS)) {
    new SegueStack(app, name, { settings: readSettings(settings) });
  }
  app.synth();
  return readAssembly(outdir);
}

const folder = mkdtempSync(join(tmpdir(), 'segue-cdk-'));
const commonjs = await UserApp.fromInit(join(folder, 'website'));
const esm = UserApp.ofModules(join(folder, 'modules'));
const cdkJson = commonjs.read('cdk.json');
let packed: z.infer<typeof Packed>[0];
let here: Assembly;

beforeAll(async () => {
  await run('npm', ['run', '--silent', 'build:cdk'], { cwd: ROOT });
  const pack = ['pack', './dist/cdk', '--json', '--pack-destination', folder];
  [packed] = Packed.parse(JSON.parse((await run('npm', pack, { cwd: ROOT, maxBuffer: 2 ** 26 })).stdout));
  const packages = [join(folder, packed.filename), ...['aws-cdk-lib', 'constructs', 'aws-cdk'].map(withVersion)];
  const installing = [
    commonjs.install(...packages, ...['typescript', '@types/node'].map(withVersion)),
    esm.install(...packages),
  ];
  esm.write({ 'cdk.json': cdkJson });
  // It blocks this process, but not npm.
  here = synthesiseHere(join(folder, 'here'), CdkJson.parse(JSON.parse(cdkJson)).context);
  await Promise.all(installing);
}, 3 * MUCH_WORK_MS);
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiles TypeScript of a user to CommonJS. */
async function compile(path: string, text: string): Promise<void> {
  commonjs.write({ [path]: text });
  await commonjs.tsc('--noEmit', 'false', '--types', 'node');
}

describe('the constructs, installed in another app', () => {
  it('synthesise what this repository does, in the CommonJS of `cdk init`', async () => {
    await compile('bin/every-option.ts', EVERY_OPTION_APP);
    expect(await commonjs.synth('bin/every-option.js')).toEqual(here);
    expect(here.templates.size).toBeGreaterThanOrEqual(Object.keys(SETTINGS).length);
    expect(here.assets.size).toBeGreaterThan(0);
  });

  it('synthesise the same in ES modules, on the oldest Node', async () => {
    esm.write({ 'every-option.js': EVERY_OPTION_APP });
    expect(await esm.synth('every-option.js', OLDEST_NODE)).toEqual(here);
  });

  it('say which Node they need, on an older one', async () => {
    const load = {
      commonjs: () => commonjs.node(['--eval', `delete Map.groupBy; require('segue-cdk')`]),
      modules: () => esm.node(['--input-type=module', '--eval', `delete Map.groupBy; await import('segue-cdk')`]),
    };
    await expect(load.commonjs()).rejects.toThrow('Error: segue-cdk needs Node 22 or newer, and this is v');
    await expect(load.modules()).rejects.toThrow('Error: segue-cdk needs Node 22 or newer, and this is v');
  });

  it('bring nothing but themselves', () => {
    const names = readdirSync(join(esm.folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names.sort()).toEqual(['@aws-cdk', 'aws-cdk', 'aws-cdk-lib', 'constructs', 'segue-cdk']);
  });

  it('export what infra/index.ts does, as docs/cdk-construct.md lists it', async () => {
    const names = Object.keys(infra).sort();
    const page = read('docs/cdk-construct.md');
    for (const name of names) expect(page).toContain(`\`${name}\``);
    const print = 'console.log(JSON.stringify(Object.keys(segue).sort()))';
    const required = await commonjs.node(['--eval', `const segue = require('segue-cdk'); ${print}`]);
    const imported = await esm.node(['--input-type=module', '--eval', `import * as segue from 'segue-cdk'; ${print}`]);
    expect([JSON.parse(required), JSON.parse(imported)]).toEqual([names, names]);
  });

  it('do what the README shows, with outputs that the command line reads', async () => {
    await compile('bin/website.ts', README_APP);
    const { templates } = await commonjs.synth('bin/website.js');
    const { Outputs } = WithOutputs.parse(templates.get('Website.template.json'));
    const outputs = gatewayOutputs(deployedOutputs(Outputs), undefined);
    for (const name of READ_BY_CLI.filter(isOfBoth)) expect(outputs.get(name)).toContain('Projects');
    expect(Outputs).toHaveProperty('CreatedQueueUrl');
    expect(read('packages/cdk/README.md')).toContain(String(Outputs['ProjectsNextCommand']?.Value));
  });

  it.each(['cdk', 'bulk', 'workflow'])('run examples/%s', async (name) => {
    const source = join('examples', name);
    const files = readdirSync(join(ROOT, source)).filter((file) => file.endsWith('.ts'));
    esm.write(Object.fromEntries(files.map((file) => [file, read(join(source, file))])));
    const { templates } = await esm.synth('app.ts');
    expect(JSON.stringify([...templates])).toContain('AWS::ApiGateway::RestApi');
  });
});

describe('the types of the constructs', () => {
  const wrong = [
    '// @ts-expect-error',
    "new ProjectGateway(stack, 'NoService', {});",
    '// @ts-expect-error',
    "hosted({ translation: { engine: 'unknown' } });",
    '// @ts-expect-error',
    "projects.functionOf('unknown');",
  ];

  it.each([
    ['nodenext', []],
    ['nodenext', ['--skipLibCheck', 'false']],
    ['nodenext', ['--exactOptionalPropertyTypes']],
    ['commonjs', ['--moduleResolution', 'bundler']],
  ])('accept the code of the docs and refuse wrong code, with module %s %j', async (module, more) => {
    const text = [README_APP, ...wrong].join('\n');
    const scripts = { 'page.mts': text, 'page.cts': text, 'every-option.mts': EVERY_OPTION_APP };
    commonjs.write(scripts);
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022'];
    await commonjs.tsc(...options, '--types', 'node', '--module', module, ...more, ...Object.keys(scripts));
  });
});

it('the package is not larger than docs/cdk-construct.md says', () => {
  const [, packedMb, unpackedMb] = /at most (\d+) MB, and (\d+) MB unpacked/.exec(read('docs/cdk-construct.md')) ?? [];
  expect(packed.size).toBeLessThan(Number(packedMb) * 1_000_000);
  expect(packed.unpackedSize).toBeLessThan(Number(unpackedMb) * 1_000_000);
});

it.each([
  ['publint', ['run', PACKAGE, '--strict']],
  ['attw', ['--pack', '--profile', 'node16', PACKAGE]],
])('%s finds nothing in the package', async (program, args) => {
  await run(join(import.meta.dirname, 'node_modules/.bin', program), args, { cwd: PACKAGE });
});

it('the constructs synthesise with the oldest versions that the package accepts', async () => {
  const oldest = UserApp.ofModules(join(folder, 'oldest'));
  const versions = Object.entries(peers).map(([name, range]) => [name, range.replace('^', '')] as const);
  const stated = versions.map(([name, version]) => `\`${name}\` ${version.replace(/\.0$/, '')}`).join(' and ');
  for (const page of ['docs/cdk-construct.md', 'packages/cdk/README.md']) expect(read(page)).toContain(stated);
  const packages = versions.map(([name, version]) => `${name}@${version}`);
  await oldest.install(join(folder, packed.filename), ...packages, withVersion('aws-cdk'));
  oldest.write({ 'every-option.js': EVERY_OPTION_APP });
  const { templates } = await oldest.synth('every-option.js');
  expect([...templates.keys()]).toEqual([...here.templates.keys()]);
});
