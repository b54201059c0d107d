import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { type Composition, type FunctionName, functionsOf } from './catalogue.ts';

/** The repository, to which entries and the paths of a metafile are relative. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

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
  /** What went into which file. */
  readonly metafile: Metafile;
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
    conditions: ['module', service, platform],
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    plugins: [builtins],
    metafile: true,
    logLevel: 'warning',
  });
  const { outputs } = result.metafile;
  const used = reachedFrom('index.mjs', outputs, () => true);
  const first = reachedFrom('index.mjs', outputs, ({ kind }) => kind === 'import-statement');
  const files = result.outputFiles
    .map(({ path, contents }) => ({ name: basename(path), contents }))
    .filter(({ name }) => name in used)
    .map((file) => ({ ...file, isForStart: file.name in first }));
  const main = files.find(({ name }) => name === 'index.mjs');
  if (main === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  if (outdir !== undefined) await writeFiles(outdir, files);
  const chunks = files.filter((file) => file !== main);
  return { code: main.contents, chunks, metafile: { ...result.metafile, outputs: used } };
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

/** Makes a folder that holds these files and no other: one with an older chunk would deploy it. */
async function writeFiles(folder: string, files: readonly BundledFile[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ name, contents }) => writeFile(resolve(folder, name), contents)));
}

/** Bundles every function of a composition into a folder of its name under `outdir`. */
export async function bundleAll(
  outdir: string,
  composition: Composition,
): Promise<ReadonlyMap<FunctionName, Bundle & { readonly folder: string }>> {
  const bundles = functionsOf(composition).map(async ({ name, entry }) => {
    const folder = resolve(outdir, name);
    return [name, { folder, ...(await bundleFunction(entry, { ...composition, outdir: folder })) }] as const;
  });
  return new Map(await Promise.all(bundles));
}
