import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin, transform } from 'esbuild';
import { writeDeclarations } from './declarations.ts';
import { WITHOUT_ENCODING, withoutLineBreaks } from './gettext-build.ts';

/** `npm run build:client` builds `packages/client`: modules for `import` and for `require`, each with its types. */

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'packages/client/dist');
const ENTRIES = ['packages/client/index.ts', 'packages/client/files.ts'];

/** Shortens the local names in packages. In Segue's own code names stay, for stack traces. */
const shortenPackages: Plugin = {
  name: 'shorten-packages',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { minifyIdentifiers: true });
      return { contents: code, loader: 'js' };
    });
  },
};

const COMMON = {
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outdir: DIST,
  outbase: 'packages/client',
  bundle: true,
  plugins: [withoutLineBreaks, shortenPackages],
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the whole line of an uncaught error.
  lineLimit: 160,
  platform: 'node',
  target: 'node20',
  alias: WITHOUT_ENCODING,
  logLevel: 'warning',
} satisfies BuildOptions;

rmSync(DIST, { recursive: true, force: true });
await Promise.all([
  // A format of files loads when it is first used.
  build({ ...COMMON, format: 'esm', splitting: true, chunkNames: 'parts/[name]-[hash]' }),
  build({ ...COMMON, format: 'cjs', outExtension: { '.js': '.cjs' } }),
]);
writeDeclarations('client', DIST);
