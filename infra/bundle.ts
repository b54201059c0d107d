import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { Composition } from './functions/catalogue.ts';

/** The repository, to which entries and the paths of a metafile are relative. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The file of a bundle that is imported. */
const MAIN = 'index.mjs';

export interface BundleOptions extends Composition {
  /** The bundle's own folder, made anew; without one nothing is written. */
  readonly outdir?: string;
}

/** A file of a bundle, its name without a folder. */
export interface BundledFile {
  readonly name: string;
  readonly contents: Uint8Array;
  /** Whether the main file cannot start without it; the rest is read when it is needed. */
  readonly isForStart: boolean;
}

/** One function, which needs nothing but Node. */
export interface Bundle {
  /** Its main file, `index.mjs`. */
  readonly code: Uint8Array;
  /** What lies beside it. */
  readonly chunks: readonly BundledFile[];
  /** The files that were read for it, relative to the repository. */
  readonly sources: readonly string[];
  /** How many bytes of which source are in which of its files. */
  readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * Takes built-ins through `process.getBuiltinModule`, from ESM and CommonJS alike. An ESM `import 'node:http'` reads
 * every export to give it a name, and so loads undici: 31 ms of a cold start.
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

/**
 * Bundles one function. This is the only esbuild configuration: stack, benchmarks and tests share it, and the same
 * input gives the same bytes.
 * @param entry relative to the repository
 * @throws esbuild's `BuildFailure` where an import cannot be found or read
 */
export async function bundleFunction(entry: string, { service, platform, outdir }: BundleOptions): Promise<Bundle> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir: '.',
    outExtension: { '.js': '.mjs' },
    // what is imported only when it is needed is a file of its own, which a start does not read
    splitting: true,
    chunkNames: '[name]-[hash]',
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    // it imports no slower than CommonJS, and more of it is shaken off
    format: 'esm',
    // with `module` the SDK's core comes as ESM that can be shaken: a third smaller and 8 ms quicker
    conditions: ['module', 'bundled', service, platform],
    mainFields: ['module', 'main'],
    // what a thread of its own runs is handed to it as text
    loader: { '.min.js': 'text' },
    minify: true,
    legalComments: 'none',
    plugins: [builtins],
    metafile: true,
    logLevel: 'warning',
  });
  const { outputs } = result.metafile;
  const used = reachedFrom(MAIN, outputs, () => true);
  const first = reachedFrom(MAIN, outputs, ({ kind }) => kind === 'import-statement');
  const files = result.outputFiles
    .map(({ path, contents }) => ({ name: basename(path), contents }))
    .filter(({ name }) => name in used)
    .map((file) => ({ ...file, isForStart: file.name in first }));
  const main = files.find(({ name }) => name === MAIN);
  if (main === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  const bundle: Bundle = {
    code: main.contents,
    chunks: files.filter((file) => file !== main),
    // a built-in has a namespace before its name
    sources: Object.keys(result.metafile.inputs).filter((path) => !path.includes(':')),
    parts: mapValues(used, ({ inputs }) => mapValues(inputs, ({ bytesInOutput }) => bytesInOutput)),
  };
  if (outdir !== undefined) await writeBundle(outdir, bundle);
  return bundle;
}

type Outputs = Metafile['outputs'];
type Imported = Outputs[string]['imports'][number];

/** The outputs that one of them leads to. esbuild makes more: chunks of what modules that were shaken off would import. */
function reachedFrom(name: string, outputs: Outputs, isFollowed: (imported: Imported) => boolean): Outputs {
  const reached: Outputs = {};
  const visit = (path: string) => {
    const output = outputs[path];
    if (output === undefined || path in reached) return;
    reached[path] = output;
    for (const imported of output.imports.filter(isFollowed)) visit(imported.path);
  };
  visit(name);
  return reached;
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]));
}

/** Makes a folder that holds a bundle and no other file: one with an older chunk would deploy it. */
export async function writeBundle(folder: string, { code, chunks }: Bundle): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = [{ name: MAIN, contents: code }, ...chunks];
  await Promise.all(files.map(({ name, contents }) => writeFile(resolve(folder, name), contents)));
}
