import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import * as z from 'zod/mini';
import { type FunctionName, functionsOf } from './functions/catalogue.ts';
import { FUNCTION_OPTIONS, SERVICES, type ServiceName } from './functions/function-spec.ts';
import { packagesOf } from './sbom/bundled-package.ts';
import { distinct, sbomText } from './sbom/cyclonedx.ts';
import { licensesText } from './sbom/licenses.ts';
import { withoutValidator } from './without-validator.ts';

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
 * a copy of its own, with the exports that it names: a copy of all exports would load what `node:util` loads only when it
 * is used.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, importer }) => {
      if (!isBuiltin(path)) return null;
      const name = path.replace(/^(node:)?/, 'node:');
      const suffix = name === LATE_BUILTIN ? '' : `?${relative(ROOT, importer)}`;
      return { path: name, suffix, namespace: BUILTIN, sideEffects: false, pluginData: importer };
    });
    onLoad({ filter: /^/, namespace: BUILTIN }, async ({ path, pluginData: importer }) => {
      if (path === LATE_BUILTIN) return { contents: callsOf(path) };
      const loaded = getBuiltin(path);
      const names = await namesImported(String(importer), path);
      return { contents: names ? `export const { ${names.join(', ')} } = ${loaded}` : `module.exports = ${loaded}` };
    });
    // A module that is imported dynamically would be a file of its own.
    onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace(
        /\bimport\(["'](node:\w+)["']\)/g,
        (_, name) => `Promise.resolve(${getBuiltin(name)})`,
      );
      return contents === source ? null : { contents };
    });
  },
};

/** The built-in module that takes 2 ms to load, and that few first requests use: its functions load it. */
const LATE_BUILTIN = 'node:zlib';

/** Exports the functions of a built-in module, which load it when they are called. */
function callsOf(path: string): string {
  const functions = Object.entries(process.getBuiltinModule(path) ?? {}).filter(
    ([name, value]) => /^[a-z]/.test(name) && typeof value === 'function',
  );
  const calls = functions.map(([name]) => `export const ${name} = (...args) => load().${name}(...args);`);
  return `const load = () => ${getBuiltin(path)};${calls.join('')}`;
}

function getBuiltin(path: string): string {
  return `process.getBuiltinModule(${JSON.stringify(path)})`;
}

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

const COMPILER = 'schema-compiler';

/**
 * Bundles zod's compiler separately. Otherwise the compiler would share modules with the schemas, and esbuild would load
 * it with them at every start: 31 KB.
 */
const schemaCompiler: Plugin = {
  name: COMPILER,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^zod\/mini$/ }, ({ path, importer }) =>
      /lib[\\/]contract[\\/]compile\.ts$/.test(importer) ? { path, namespace: COMPILER, sideEffects: false } : null,
    );
    onLoad({ filter: /^/, namespace: COMPILER }, async () => ({ contents: await builtCompiler() }));
  },
};

let compiler: Promise<string> | undefined;

function builtCompiler(): Promise<string> {
  compiler ??= buildCompiler();
  return compiler;
}

async function buildCompiler(): Promise<string> {
  const { outputFiles } = await build({
    ...FORMAT,
    absWorkingDir: ROOT,
    stdin: { contents: "export { compile } from 'zod/mini'", resolveDir: ROOT },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Returns the source files whose code is in an output file. */
function sourcesIn({ inputs }: Metafile['outputs'][string]): string[] {
  return Object.entries(inputs).flatMap(([source, { bytesInOutput }]) =>
    bytesInOutput > 0 && !/^(builtin|later):/.test(source) ? [source] : [],
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
    plugins: [builtins, schemaCompiler, withoutValidator],
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
  const options = {
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
  } satisfies BuildOptions;
  const all = await build(options);
  const importable = Object.values(reachable(all.metafile.outputs, () => true)).map(({ entryPoint }) => entryPoint);
  const result = await build({ ...options, plugins: [laterFiles(entry, new Set(importable)), ...options.plugins] });
  const { outputs } = result.metafile;
  const used = reachable(outputs, () => true);
  const atStart = reachable(outputs, ({ kind }) => kind === 'import-statement');
  const files = result.outputFiles.flatMap(({ path, contents }) => {
    const name = basename(path);
    const output = used[name];
    return output ? [{ name, contents, isForStart: name in atStart, sources: sourcesIn(output) }] : [];
  });
  const joined = withoutForwarding(files);
  if (outdir !== undefined) await writeFiles(outdir, joined);
  return joined;
}

const RESOLVING = Symbol('resolving');
const LATER = 'later';

/**
 * Lets every file that loads later import the function's own file, so that all code of the start has the same
 * importers. Then esbuild puts it into one file. Otherwise it would write a file for each set of modules that share code,
 * and each file costs 1 % of a start.
 *
 * Leaves out the modules that only dropped code imports dynamically, which esbuild would take for such files.
 * @param entry the path of the function's own file, which must load nothing of this at its start: both would wait
 */
function laterFiles(entry: string, importable: ReadonlySet<string | undefined>): Plugin {
  return {
    name: 'later-files',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^/ }, async ({ path, kind, pluginData, importer, resolveDir }) => {
        if (kind !== 'dynamic-import' || pluginData === RESOLVING) return null;
        const found = await resolve(path, { kind, importer, resolveDir, pluginData: RESOLVING });
        const file = relative(ROOT, found.path).replaceAll(sep, '/');
        if (!importable.has(file)) return { path, external: true };
        // A file of data imports nothing.
        return file.endsWith('.json') ? null : { path: `./${file}`, namespace: LATER };
      });
      onLoad({ filter: /^/, namespace: LATER }, ({ path }) => ({
        contents: `import * as start from './${entry}'; export * from '${path}';`,
        resolveDir: ROOT,
      }));
    },
  };
}

const INDEX = 'index.mjs';
/** Matches a file that only forwards the handler of one other file. */
const FORWARDING = /^import\{([\w$]+)(?: as [\w$]+)?\}from"\.\/([^"]+)";export\{[\w$]+ as handler\};\s*$/;
/** Matches the exports at the end of a file. */
const EXPORTS = /export\{([^}]*)\};\s*$/;

/**
 * Puts the code of the start into `index.mjs`. If later files share that code, esbuild writes it into another file, from
 * which `index.mjs` only forwards the handler.
 */
function withoutForwarding(files: readonly BundledFile[]): BundledFile[] {
  const textOf = ({ contents }: BundledFile) => Buffer.from(contents).toString();
  const index = files.find(({ name }) => name === INDEX);
  const [, handler, shared] = (index && FORWARDING.exec(textOf(index))) ?? [];
  if (shared === undefined) return [...files];
  const withHandler = (_: string, list: string) => {
    const names = list.split(',').map((entry) => entry.split(' as '));
    const [local] = names.find(([name, alias = name]) => alias === handler) ?? [];
    return `export{${list},${local} as handler};\n`;
  };
  return files.flatMap((file) => {
    if (file === index) return [];
    const text = textOf(file).replaceAll(`"./${shared}"`, `"./${INDEX}"`);
    return file.name === shared
      ? [{ ...file, name: INDEX, contents: Buffer.from(text.replace(EXPORTS, withHandler)) }]
      : [{ ...file, contents: Buffer.from(text) }];
  });
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
  visit(INDEX);
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
  const functions = new Map(
    Array.from(bundles, ([name, files]) => {
      const sources = files.flatMap((file) => file.sources);
      return [name, packagesOf(sources, ROOT)] as const;
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
