import { mkdir, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { ROUTES } from '../lib/contract/routes.ts';

/** The repository, to which entries and the paths of a metafile are relative. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Every function that is deployed. `entry` is relative to the repository. */
export const FUNCTIONS = [
  ...ROUTES.map((route) => ({ name: route.id, kind: 'http', entry: `functions/http/${route.id}.ts`, route }) as const),
  { name: 'authorizer', kind: 'authorizer', entry: 'functions/authorizer.ts' },
  { name: 'createProjectTask', kind: 'task', entry: 'functions/tasks/createProject.ts' },
  { name: 'deleteProjectTask', kind: 'task', entry: 'functions/tasks/deleteProject.ts' },
] as const;

export type FunctionName = (typeof FUNCTIONS)[number]['name'];

/** What is chosen when bundling: the service behind the port, and what is under the functions (`imports` in package.json). */
export interface Composition {
  readonly service: 'hosted' | 'upstream';
  readonly platform: 'aws' | 'local';
}

export interface BundleOptions extends Composition {
  /** The bundle's own folder, made where it is missing; without one nothing is written. */
  readonly outdir?: string;
  /** Whether to tell what went into the bundle. */
  readonly metafile?: boolean;
}

/** One function in one file, `index.mjs`, which needs nothing but Node. */
export interface Bundle {
  readonly code: Uint8Array;
  readonly metafile?: Metafile | undefined;
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
export async function bundleFunction(
  entry: string,
  { service, platform, outdir, metafile = false }: BundleOptions,
): Promise<Bundle> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: 'index.mjs',
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
    metafile,
    logLevel: 'warning',
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  if (outdir !== undefined) {
    await mkdir(outdir, { recursive: true });
    await writeFile(resolve(outdir, 'index.mjs'), file.contents);
  }
  return { code: file.contents, metafile: result.metafile };
}

/** Bundles every deployed function into a folder of its name under `outdir`. */
export async function bundleAll(
  outdir: string,
  options: Composition & { readonly metafile?: boolean },
): Promise<ReadonlyMap<FunctionName, Bundle & { readonly folder: string }>> {
  const bundles = FUNCTIONS.map(async ({ name, entry }) => {
    const folder = resolve(outdir, name);
    return [name, { folder, ...(await bundleFunction(entry, { ...options, outdir: folder })) }] as const;
  });
  return new Map(await Promise.all(bundles));
}
