import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type Bundle, type BundleOptions, bundleFunction, ROOT } from '../../infra/bundle.ts';

const SDK = /^@(?:aws-sdk|smithy)\//;

/** A package with the same exports, each of them an empty class. */
const stubSource = (names: readonly string[]) =>
  `class Stub {} export { ${names.map((name) => `Stub as ${name}`).join(', ')} };`;

const stubs: Plugin = {
  name: 'sdk-stubs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: SDK }, ({ path }) => ({ path, namespace: 'stub', sideEffects: false }));
    onLoad({ filter: /^/, namespace: 'stub' }, async ({ path }) => ({ contents: stubSource(await exportsOf(path)) }));
  },
};

/** The names it can be imported by. A CommonJS package has `default` and `module.exports` besides. */
async function exportsOf(path: string): Promise<string[]> {
  const module: object = await import(path);
  return Object.keys(module).filter((name) => /^\w+$/.test(name) && name !== 'default');
}

/**
 * Bundles a function with a stub in place of the SDK. The stub is put in first and nothing else is touched; the shared
 * configuration then bundles what comes of it as it bundles every function.
 * @param entry relative to the repository
 */
export async function bundleWithoutSdk(entry: string, options: BundleOptions): Promise<Bundle> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: 'index.mjs',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    conditions: [options.service, options.platform],
    plugins: [stubs],
  });
  // in the repository, so that packages are found from there
  const folder = await mkdtemp(join(ROOT, '.bench-'));
  try {
    const stubbed = join(folder, 'index.mjs');
    await writeFile(stubbed, result.outputFiles[0]?.contents ?? '');
    return await bundleFunction(relative(ROOT, stubbed), options);
  } finally {
    await rm(folder, { recursive: true });
  }
}
