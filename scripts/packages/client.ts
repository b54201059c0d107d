import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Plugin, transform } from 'esbuild';

/** `npm run build:client` builds `packages/client`: modules for `import` and for `require`, each with its types. */

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'packages/client/dist');
const ENTRIES = ['lib/client/index.ts', 'lib/client/files.ts'];

/** A relative import in a declaration. */
const IMPORTED = /(?<before>from |import\()(?<quote>['"])(?<path>\.[^'"]+)\.ts\k<quote>/g;

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
  outbase: 'lib/client',
  bundle: true,
  plugins: [shortenPackages],
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the whole line of an uncaught error.
  lineLimit: 160,
  platform: 'node',
  target: 'node20',
  alias: { encoding: './lib/client/files/gettext/no-encoding.ts' },
  logLevel: 'warning',
} satisfies BuildOptions;

rmSync(DIST, { recursive: true, force: true });
await Promise.all([
  // A format of files loads when it is first used.
  build({ ...COMMON, format: 'esm', splitting: true, chunkNames: 'parts/[name]-[hash]' }),
  build({ ...COMMON, format: 'cjs', outExtension: { '.js': '.cjs' } }),
]);
writeTypes();

/** Writes the declarations that the entries need, once for each kind of module. */
function writeTypes(): void {
  const emitted = mkdtempSync(join(tmpdir(), 'segue-types-'));
  try {
    execFileSync(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...['-p', join(ROOT, 'tsconfig.client.json'), '--outDir', emitted],
    ]);
    for (const [path, text] of reachable(emitted)) {
      write(join(DIST, 'esm', path), text.replaceAll(IMPORTED, "$<before>'$<path>.js'"));
      write(join(DIST, 'cjs', path.replace(/\.d\.ts$/, '.d.cts')), text.replaceAll(IMPORTED, "$<before>'$<path>.cjs'"));
    }
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

/** Returns the declarations that the entries import, directly or through others, by their paths. */
function reachable(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    const text = readFileSync(join(folder, path), 'utf8');
    found.set(path, text);
    for (const { groups } of text.matchAll(IMPORTED)) {
      visit(relative('/', join('/', dirname(path), `${groups?.['path']}.d.ts`)));
    }
  };
  for (const entry of ENTRIES) visit(entry.replace(/^lib\/(.*)\.ts$/, '$1.d.ts'));
  return found;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
