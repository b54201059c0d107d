import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import * as z from 'zod/mini';
import { bundleAll } from '../../infra/bundle.ts';
import { SERVICES } from '../../infra/functions/function-spec.ts';
import { writeDeclarations } from './declarations.ts';

/**
 * `npm run build:cdk` builds the package `segue-cdk` in `dist/cdk`: the constructs for `import` and for `require`, each
 * with its types, and the bundles of the functions of both services.
 */

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'packages/cdk');
const PACKAGE = join(ROOT, 'dist/cdk');
const DIST = join(PACKAGE, 'dist');

const EXPORTS = {
  '.': {
    import: { types: './dist/esm/infra/index.d.ts', default: './dist/index.js' },
    require: { types: './dist/cjs/infra/index.d.cts', default: './dist/index.cjs' },
  },
  './package.json': './package.json',
};

const Manifest = z.looseObject({ peerDependencies: z.record(z.string(), z.string()) });
const { peerDependencies, ...own } = Manifest.parse(JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')));
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

/** Node shows this error before Segue's code fails on what older versions lack. npm only warns of `engines`. */
const REQUIRE_NODE = `if (!('groupBy' in Map)) throw new Error('segue-cdk needs Node 22 or newer, and this is ' + process.version);`;

const COMMON = {
  absWorkingDir: ROOT,
  entryPoints: ['infra/index.ts'],
  bundle: true,
  conditions: ['prebuilt', 'module'],
  external: Object.keys(peerDependencies),
  platform: 'node',
  target: 'node22',
  banner: { js: REQUIRE_NODE },
  logLevel: 'warning',
} satisfies BuildOptions;

rmSync(PACKAGE, { recursive: true, force: true });
for (const service of SERVICES) await bundleAll(join(PACKAGE, 'bundles', service), service);
await build({ ...COMMON, format: 'esm', outfile: join(DIST, 'index.js') });
await build({
  ...COMMON,
  format: 'cjs',
  outfile: join(DIST, 'index.cjs'),
  define: { 'import.meta.dirname': '__dirname' },
});
writeDeclarations('cdk', DIST);
copyFileSync(join(SOURCE, 'README.md'), join(PACKAGE, 'README.md'));
copyFileSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'));
const manifest = { ...own, version, peerDependencies, exports: EXPORTS, files: ['dist', 'bundles'] };
writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
console.log('Built dist/cdk');
