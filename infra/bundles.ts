import { resolve } from 'node:path';
import { type Bundle, bundleFunction, ROOT, writeBundle } from './bundle.ts';
import { type Composition, type FunctionName, functionsOf } from './functions/catalogue.ts';
import { KeptBundles } from './kept-bundles.ts';

/** Beside what is installed, and gone with it. */
const KEPT = resolve(ROOT, 'node_modules/.cache/segue/bundles');

/** Bundles every function of a composition into a folder of its name under `outdir`, or takes the bundle that is kept. */
export async function bundleAll(
  outdir: string,
  composition: Composition,
): Promise<ReadonlyMap<FunctionName, Bundle & { readonly folder: string }>> {
  const { service, platform } = composition;
  const kept = new KeptBundles(KEPT, Date.now());
  const bundles = new Map<FunctionName, Bundle & { readonly folder: string }>();
  // one after the other: each takes every core, and a hundred megabytes
  for (const { name, entry } of functionsOf(composition)) {
    const bundle = await kept.getOr(`${service}-${platform}-${name}`, () => bundleFunction(entry, composition));
    const folder = resolve(outdir, name);
    await writeBundle(folder, bundle);
    bundles.set(name, { folder, ...bundle });
  }
  return bundles;
}
