import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { type FunctionName, functionsOf, SERVICES, type ServiceName } from './functions/catalogue.ts';

/** The root folder of the repository. Entries and the paths of a metafile are relative to it. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The file of a bundle that Lambda imports. */
const MAIN = 'index.mjs';

export interface BundleOptions {
  readonly service: ServiceName;
  /** The folder to write the bundle to. It is emptied first. Without it, nothing is written. */
  readonly outdir?: string;
}

/** One deployed function. It needs nothing but Node. */
export interface Bundle {
  /** The main file, `index.mjs`. */
  readonly code: Uint8Array;
  /** The files beside it. */
  readonly chunks: readonly BundledFile[];
  /** The bytes of each source in each file of the bundle. */
  readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

interface BundledFile {
  /** Without a folder. */
  readonly name: string;
  readonly contents: Uint8Array;
  /** Whether the main file imports it at start. The others load when they are first needed. */
  readonly isForStart: boolean;
}

/**
 * Loads built-ins through `process.getBuiltinModule`, from ESM and CommonJS alike. An ESM `import 'node:http'` reads
 * every export to name it, which loads undici: 31 ms of a cold start.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path }) =>
      isBuiltin(path) ? { path: path.replace(/^(node:)?/, 'node:'), namespace: 'builtin', sideEffects: false } : null,
    );
    onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};

const FORMAT = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // ESM imports no slower than CommonJS, and esbuild drops more unused code from it.
  format: 'esm',
  mainFields: ['module', 'main'],
} satisfies BuildOptions;

/**
 * Bundles the request signer by itself. Otherwise it would share modules with the SDK's clients that load later, and
 * esbuild would put all of them into every start: 90 KB and 14 ms.
 */
const requestSigner: Plugin = {
  name: 'request-signer',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@smithy\/signature-v4$/ }, ({ path, importer }) =>
      /lib[\\/]aws[\\/]json-client\.ts$/.test(importer)
        ? { path, namespace: 'request-signer', sideEffects: false }
        : null,
    );
    onLoad({ filter: /^/, namespace: 'request-signer' }, async () => {
      const stdin = { contents: "export { SignatureV4 } from '@smithy/signature-v4'", resolveDir: ROOT };
      const { outputFiles } = await build({
        ...FORMAT,
        stdin,
        write: false,
        conditions: ['module'],
        plugins: [builtins],
      });
      return { contents: outputFiles[0]?.text ?? '' };
    });
  },
};

/** The options that decide which code a function of a service runs. */
export function buildOptions(service: ServiceName) {
  return {
    absWorkingDir: ROOT,
    outExtension: { '.js': '.mjs' },
    ...FORMAT,
    // With `module`, the SDK's core comes as ESM that can be tree-shaken: a third smaller and 8 ms faster.
    conditions: ['module', 'bundled', service, 'aws'],
    // Code for a thread of its own is passed to it as text.
    loader: { '.min.js': 'text' },
    plugins: [builtins, requestSigner],
    logLevel: 'warning',
  } satisfies BuildOptions;
}

/**
 * Bundles one function. Stack, benchmarks and tests share this only esbuild configuration. The same input gives the
 * same bytes.
 * @param entry relative to the repository
 * @throws esbuild's `BuildFailure` if an import cannot be found or read
 */
export async function bundleFunction(entry: string, { service, outdir }: BundleOptions): Promise<Bundle> {
  const result = await build({
    ...buildOptions(service),
    entryPoints: { index: entry },
    outdir: '.',
    // A dynamic import gets a file of its own, which a start does not read.
    splitting: true,
    chunkNames: '[name]-[hash]',
    write: false,
    minify: true,
    legalComments: 'none',
    metafile: true,
  });
  const { outputs } = result.metafile;
  const used = reachable(outputs, () => true);
  const atStart = reachable(outputs, ({ kind }) => kind === 'import-statement');
  const files = result.outputFiles
    .map(({ path, contents }) => ({ name: basename(path), contents, isForStart: basename(path) in atStart }))
    .filter(({ name }) => name in used);
  const main = files.find(({ name }) => name === MAIN);
  if (main === undefined) throw new Error(`esbuild wrote no main file for ${entry}`);
  const chunks = files.filter((file) => file !== main);
  if (outdir !== undefined) await writeFiles(outdir, files);
  const parts = mapValues(used, ({ inputs }) => mapValues(inputs, ({ bytesInOutput }) => bytesInOutput));
  return { code: main.contents, chunks, parts };
}

type Outputs = Metafile['outputs'];
type Imported = Outputs[string]['imports'][number];

/** The files that the main file leads to. esbuild writes more: chunks that only dropped modules import. */
function reachable(outputs: Outputs, isFollowed: (imported: Imported) => boolean): Outputs {
  const reached: Outputs = {};
  const visit = (path: string) => {
    const output = outputs[path];
    if (output === undefined || path in reached) return;
    reached[path] = output;
    for (const imported of output.imports.filter(isFollowed)) visit(imported.path);
  };
  visit(MAIN);
  return reached;
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]));
}

/** Writes files into an emptied folder: an older chunk that stays there would be deployed. */
async function writeFiles(folder: string, files: readonly BundledFile[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ name, contents }) => writeFile(join(folder, name), contents)));
}

/** Bundles every function of a service into a folder of its name in `outdir`. */
export async function bundleAll(outdir: string, service: ServiceName): Promise<ReadonlyMap<FunctionName, Bundle>> {
  const bundles = new Map<FunctionName, Bundle>();
  // One after the other: each takes every core and 100 MB.
  for (const { name, entry } of functionsOf(service)) {
    bundles.set(name, await bundleFunction(entry, { service, outdir: join(outdir, name) }));
  }
  return bundles;
}

/** The bundles that this process has made, by service. */
const bundled = new Map<ServiceName, string>();

/**
 * Puts the bundles of a service into a cloud assembly. Bundles once in a process.
 * @param outdir the folder of the assembly
 * @returns the folder of each function
 */
export function bundlesIn(outdir: string, service: ServiceName): (name: FunctionName) => string {
  const source = bundled.get(service) ?? bundleSync(service);
  bundled.set(service, source);
  const folder = join(outdir, 'bundles', service);
  cpSync(source, folder, { recursive: true });
  return (name) => join(folder, name);
}

/** Bundles in a child process and waits for it: constructs are synchronous, and esbuild's plugins are not. */
function bundleSync(service: ServiceName): string {
  const folder = mkdtempSync(join(tmpdir(), 'segue-bundles-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = ['--disable-warning=ExperimentalWarning', import.meta.filename, service, folder];
  execFileSync(process.execPath, program, { stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

if (import.meta.main) {
  const [name, folder] = process.argv.slice(2);
  const service = SERVICES.find((known) => known === name);
  if (service === undefined || folder === undefined) throw new RangeError('Usage: bundle.ts <service> <folder>');
  await bundleAll(folder, service);
}
