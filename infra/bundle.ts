import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { type FunctionName, functionsOf, SERVICES, type ServiceName } from './functions/catalogue.ts';

/** The root folder of the repository. Entries and the paths of a metafile are relative to it. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface BundleOptions {
  readonly service: ServiceName;
  /** The folder to write the bundle to. It is emptied first. Without it, nothing is written. */
  readonly outdir?: string;
}

/** A file of a deployed function, which needs nothing but Node and these files. */
export interface BundledFile {
  /** Without a folder. Lambda imports `index.mjs`. */
  readonly name: string;
  readonly contents: Uint8Array;
  /** Whether it loads at start. The others load when they are first needed. */
  readonly isForStart: boolean;
  /** The source files that it has code of. */
  readonly sources: readonly string[];
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
      signer ??= buildSigner();
      return { contents: await signer };
    });
  },
};

let signer: Promise<string> | undefined;

async function buildSigner(): Promise<string> {
  const stdin = { contents: "export { SignatureV4 } from '@smithy/signature-v4'", resolveDir: ROOT };
  const { outputFiles } = await build({ ...FORMAT, stdin, write: false, conditions: ['module'], plugins: [builtins] });
  return outputFiles[0]?.text ?? '';
}

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
export async function bundleFunction(entry: string, { service, outdir }: BundleOptions): Promise<BundledFile[]> {
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
  const files = result.outputFiles.flatMap(({ path, contents }) => {
    const name = basename(path);
    const sources = Object.entries(used[name]?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const file = { name, contents, isForStart: name in atStart, sources: sources.map(([source]) => source) };
    return name in used ? [file] : [];
  });
  if (outdir !== undefined) await writeFiles(outdir, files);
  return files;
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
  visit('index.mjs');
  return reached;
}

/** Writes files into an emptied folder: an older chunk that stays there would be deployed. */
async function writeFiles(folder: string, files: readonly BundledFile[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ name, contents }) => writeFile(join(folder, name), contents)));
}

/** Bundles every function of a service into a folder of its name in `outdir`. */
export async function bundleAll(
  outdir: string,
  service: ServiceName,
): Promise<ReadonlyMap<FunctionName, readonly BundledFile[]>> {
  const bundles = new Map<FunctionName, readonly BundledFile[]>();
  // One after the other: each takes every core and 100 MB.
  for (const { name, entry } of functionsOf(service)) {
    bundles.set(name, await bundleFunction(entry, { service, outdir: join(outdir, name) }));
  }
  return bundles;
}

/** The folders of bundles that this process has made. A folder of an earlier process may be outdated. */
const made = new Set<string>();

/**
 * Bundles the functions of a service into a cloud assembly. A child process does it, because constructs are synchronous,
 * and esbuild's plugins are not. Two gateways in one assembly share their bundles.
 * @param outdir the folder of the assembly
 * @returns the folder of each function
 */
export function bundlesIn(outdir: string, service: ServiceName): (name: FunctionName) => string {
  const folder = join(outdir, 'bundles', service);
  const program = ['--disable-warning=ExperimentalWarning', import.meta.filename, service, folder];
  if (!made.has(folder)) execFileSync(process.execPath, program, { stdio: ['ignore', 'ignore', 'inherit'] });
  made.add(folder);
  return (name) => join(folder, name);
}

if (import.meta.main) {
  const [name, folder] = process.argv.slice(2);
  const service = SERVICES.find((known) => known === name);
  if (service === undefined || folder === undefined) throw new RangeError('Usage: bundle.ts <service> <folder>');
  await bundleAll(folder, service);
}
