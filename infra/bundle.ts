import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import * as z from 'zod/mini';
import { type FunctionName, functionsOf } from './functions/catalogue.ts';
import { FUNCTION_OPTIONS, SERVICES, type ServiceName } from './functions/function-spec.ts';
import { packagesOf } from './sbom/bundled-package.ts';
import { distinct, sbomText } from './sbom/cyclonedx.ts';
import { licensesText } from './sbom/licenses.ts';

/**
 * The root folder of the repository. The entry points and the paths in metafiles of esbuild are relative to this
 * folder.
 */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The software bill of materials of a service's functions. */
export const SBOM_FILE = 'sbom.cdx.json';
/** The licences of the packages in them. */
export const LICENSES_FILE = 'THIRD-PARTY-LICENSES.txt';

export interface BundleOptions {
  readonly service: ServiceName;
  /** The folder to write the bundle to, which is emptied first. Without a folder, nothing is written. */
  readonly outdir?: string;
}

/** A file of a function's bundle. The function needs only Node and the files of its bundle. */
export interface BundledFile {
  /** The file's name without a folder. Lambda imports `index.mjs`. */
  readonly name: string;
  readonly contents: Uint8Array;
  /** Whether the file loads at start. All other files load when they are first needed. */
  readonly isForStart: boolean;
  /** The source files whose code is in this file. */
  readonly sources: readonly string[];
}

const BUILTIN = 'builtin';

/**
 * Loads Node's built-in modules through `process.getBuiltinModule`, in ESM and in CommonJS. With `import 'node:http'`,
 * Node would read every export of the module and thereby load undici, which adds 31 ms to a cold start. Each importer has
 * a copy of its own, with the exports that it names: a shared copy would be a file of its own to read at start, and a
 * copy of all exports would load what `node:util` loads only when it is used.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, importer }) =>
      isBuiltin(path)
        ? {
            path: path.replace(/^(node:)?/, 'node:'),
            suffix: `?${relative(ROOT, importer)}`,
            namespace: BUILTIN,
            sideEffects: false,
            pluginData: importer,
          }
        : null,
    );
    onLoad({ filter: /^/, namespace: BUILTIN }, async ({ path, pluginData: importer }) => {
      const loaded = `process.getBuiltinModule(${JSON.stringify(path)})`;
      const names = await namesImported(String(importer), path);
      return { contents: names ? `export const { ${names.join(', ')} } = ${loaded}` : `module.exports = ${loaded}` };
    });
  },
};

/**
 * Returns the exports of a module that a file imports by their names; `undefined` if it uses the whole module, as with
 * `require`.
 */
async function namesImported(file: string, module: string): Promise<string[] | undefined> {
  const source = await readFile(file, 'utf8').catch(() => '');
  const from = `['"](?:node:)?${module.replace(/^node:/, '')}['"]`;
  const uses = source.match(new RegExp(from, 'g')) ?? [];
  const imports = [...source.matchAll(new RegExp(`\\bimport\\s*\\{([^{}]*)\\}\\s*from\\s*${from}`, 'g'))];
  if (imports.length === 0 || imports.length < uses.length) return undefined;
  const names = imports.flatMap(([, list = '']) => list.split(',').map((name) => name.replace(/\bas\b.*/s, '').trim()));
  return [...new Set(names.filter((name) => name !== '' && !name.startsWith('type ')))];
}

const FORMAT = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // ESM imports no slower than CommonJS, and esbuild drops more unused code from it.
  format: 'esm',
  mainFields: ['module', 'main'],
} satisfies BuildOptions;

const SIGNER = 'request-signer';

/**
 * Bundles the request signer separately. Otherwise the signer would share modules with the SDK's clients, which load
 * later. esbuild would then load these modules at every start: 90 KB and 14 ms.
 */
const requestSigner: Plugin = {
  name: SIGNER,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@smithy\/signature-v4$/ }, ({ path, importer }) =>
      /lib[\\/]aws[\\/]json-client\.ts$/.test(importer) ? { path, namespace: SIGNER, sideEffects: false } : null,
    );
    onLoad({ filter: /^/, namespace: SIGNER }, async () => {
      return { contents: (await builtSigner()).contents };
    });
  },
};

/** The bundled request signer, with the source files whose code is in it. */
interface Signer {
  readonly contents: string;
  readonly sources: readonly string[];
}

let signer: Promise<Signer> | undefined;

function builtSigner(): Promise<Signer> {
  signer ??= buildSigner();
  return signer;
}

async function buildSigner(): Promise<Signer> {
  const { outputFiles, metafile } = await build({
    ...FORMAT,
    absWorkingDir: ROOT,
    stdin: { contents: "export { SignatureV4 } from '@smithy/signature-v4'", resolveDir: ROOT },
    write: false,
    conditions: ['module'],
    plugins: [builtins],
    metafile: true,
  });
  return { contents: outputFiles[0]?.text ?? '', sources: Object.values(metafile.outputs).flatMap(sourcesIn) };
}

/** Returns the source files whose code is in an output file. */
function sourcesIn({ inputs }: Metafile['outputs'][string]): string[] {
  return Object.entries(inputs).flatMap(([source, { bytesInOutput }]) =>
    bytesInOutput > 0 && !source.startsWith(`${BUILTIN}:`) ? [source] : [],
  );
}

/** Returns the esbuild options that decide which code goes into the functions' bundles for one service. */
export function buildOptions(service: ServiceName) {
  return {
    absWorkingDir: ROOT,
    outExtension: { '.js': '.mjs' },
    ...FORMAT,
    // With the condition `module`, esbuild can tree-shake the SDK's core: the bundle is a third smaller and starts 8 ms
    // faster.
    conditions: ['module', 'bundled', service, 'aws'],
    // The code of a worker thread is imported as text, from which the thread starts.
    loader: { '.min.js': 'text' },
    plugins: [builtins, requestSigner],
    logLevel: 'warning',
  } satisfies BuildOptions;
}

/**
 * Bundles one function. The stack, the benchmarks and the tests use this esbuild configuration, and no other. The same
 * input gives the same bytes.
 * @param entry the path of the function's source file, relative to the repository
 * @throws esbuild's `BuildFailure` if an import cannot be found or read
 */
export async function bundleFunction(entry: string, { service, outdir }: BundleOptions): Promise<BundledFile[]> {
  const result = await build({
    ...buildOptions(service),
    entryPoints: { index: entry },
    outdir: '.',
    // A dynamically imported module gets its own file, which is not read at start.
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
    const output = used[name];
    return output ? [{ name, contents, isForStart: name in atStart, sources: sourcesIn(output) }] : [];
  });
  if (outdir !== undefined) await writeFiles(outdir, files);
  return files;
}

type Outputs = Metafile['outputs'];
type Imported = Outputs[string]['imports'][number];

/**
 * Returns the output files that `index.mjs` imports, directly or through others. esbuild also writes files that only
 * dropped modules import.
 */
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

/** Empties a folder and writes the files into it. Without the emptying, older files would be deployed too. */
async function writeFiles(folder: string, files: readonly BundledFile[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ name, contents }) => writeFile(join(folder, name), contents)));
}

/**
 * Bundles every function of a service, each into `<outdir>/<function name>`. Beside them, it writes a software bill of
 * materials, and the licences of the packages in the bundles.
 */
export async function bundleAll(
  outdir: string,
  service: ServiceName,
): Promise<ReadonlyMap<FunctionName, readonly BundledFile[]>> {
  const bundles = new Map<FunctionName, readonly BundledFile[]>();
  // The functions are bundled one after the other, because each bundling uses every core and 100 MB.
  for (const { name, entry } of functionsOf(service, FUNCTION_OPTIONS)) {
    bundles.set(name, await bundleFunction(entry, { service, outdir: join(outdir, name) }));
  }
  await writeMaterials(outdir, service, bundles);
  return bundles;
}

async function writeMaterials(
  outdir: string,
  service: ServiceName,
  bundles: ReadonlyMap<FunctionName, readonly BundledFile[]>,
): Promise<void> {
  const { version } = Manifest.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  const { sources: ofSigner } = await builtSigner();
  const functions = new Map(
    Array.from(bundles, ([name, files]) => {
      const sources = files.flatMap((file) => file.sources);
      const hasSigner = sources.some((source) => source.startsWith(`${SIGNER}:`));
      return [name, packagesOf(hasSigner ? [...sources, ...ofSigner] : sources, ROOT)] as const;
    }),
  );
  await writeFile(join(outdir, SBOM_FILE), sbomText({ service, version, functions }));
  await writeFile(join(outdir, LICENSES_FILE), licensesText(distinct([...functions.values()].flat())));
}

const Manifest = z.object({ version: z.string() });

/** The folders into which this process has bundled. Bundles of an earlier process may be outdated. */
const made = new Set<string>();

/**
 * Bundles the functions of a service into a cloud assembly. The bundling runs in a child process and blocks until it
 * ends, because constructs are synchronous and esbuild's plugins are not. Two gateways in one assembly share bundles.
 * @param outdir the folder of the assembly
 * @returns a function that returns the folder of a bundle
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
