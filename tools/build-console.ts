import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { installPeers } from '../bench/support/install-peers.ts';
import { packagesOf } from '../infra/sbom/bundled-package.ts';
import { TOKENS } from '../lib/http/design-tokens.data.ts';
import { WITHOUT_ENCODING, withoutLineBreaks } from './packages/gettext-build.ts';

/**
 * `npm run build:console` builds the console: `dist/console.json`, with its page and its files, whose names contain a
 * hash, so that caches may keep them. A format of files is a script of its own, which the console loads when it needs it.
 */

const CONSOLE = join(import.meta.dirname, '../packages/console');
const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const GETTEXT_BUILT_INS = './packages/console/browser/gettext-built-ins.ts';
await installPeers(CONSOLE);

const COMMON = {
  absWorkingDir: ROOT,
  metafile: true,
  outdir: CONSOLE,
  write: false,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
} satisfies BuildOptions;

/** The files with their final names, by the names that esbuild gave them. */
const files = new Map<string, { readonly name: string; readonly bytes: Buffer }>();
const inputs = new Set<string>();

type BuildParts = Pick<BuildOptions, 'alias' | 'chunkNames' | 'entryPoints' | 'plugins' | 'splitting'>;

/** Adds the files of a build, each after those that it imports, because their names, which are hashes, are in its text. */
async function addBuild(options: BuildParts): Promise<void> {
  const { metafile, outputFiles } = await build({ ...COMMON, ...options });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const importsOf = new Map(Object.entries(metafile.outputs).map(([path, { imports }]) => [basename(path), imports]));
  for (const path of Object.keys(metafile.inputs)) inputs.add(path);
  for (const path of texts.keys()) add(path);

  function add(path: string): void {
    if (files.has(path)) return;
    let text = texts.get(path) ?? '';
    for (const { path: imported, external } of importsOf.get(path) ?? []) {
      if (external) continue;
      const part = basename(imported);
      add(part);
      text = text.replaceAll(`"./${part}"`, `"./${files.get(part)?.name}"`);
    }
    const bytes = Buffer.from(path.endsWith('.css') ? TOKENS + text : text);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const [, name, extension] = /^([\w-]+?)(?:-[\dA-Z]{8})?\.(\w+)$/.exec(path) ?? [];
    files.set(path, { name: `${name}-${hash}.${extension}`, bytes });
  }
}

await addBuild({
  entryPoints: [{ in: join(CONSOLE, 'file-formats.ts'), out: 'formats' }],
  splitting: true,
  chunkNames: '[name]-[hash]',
  plugins: [withoutLineBreaks],
  alias: {
    ...WITHOUT_ENCODING,
    'node:crypto': './packages/console/browser/crypto.ts',
    'node:buffer': GETTEXT_BUILT_INS,
    'node:stream': GETTEXT_BUILT_INS,
    'node:util': GETTEXT_BUILT_INS,
  },
});

await addBuild({ entryPoints: [{ in: join(CONSOLE, 'design/design-page.tsx'), out: 'design' }] });

/** The page itself is one script, which loads the formats and the page of its design by the names of their files. */
const scriptsByName: Plugin = {
  name: 'scripts-by-name',
  setup({ onResolve }) {
    for (const [filter, path] of [
      [/\/file-formats\.ts$/, 'formats.js'],
      [/\/design-page\.tsx$/, 'design.js'],
    ] as const)
      onResolve({ filter }, () => ({ path: `./${files.get(path)?.name}`, external: true }));
  },
};
await addBuild({
  entryPoints: [
    { in: join(CONSOLE, 'main.tsx'), out: 'console' },
    { in: join(CONSOLE, 'design/console.css'), out: 'console' },
  ],
  plugins: [scriptsByName],
});

let html = readFileSync(join(CONSOLE, 'index.html'), 'utf8');
for (const path of ['console.js', 'console.css']) {
  if (!html.includes(`"console/${path}"`)) throw new Error(`index.html does not load ${path}`);
  html = html.replace(`"console/${path}"`, `"console/${files.get(path)?.name}"`);
}
const built = Array.from(files.values(), ({ name, bytes }) => {
  return { name, length: bytes.length, gzip: gzipSync(bytes, { level: 9 }).toString('base64') };
});
mkdirSync(DIST, { recursive: true });
writeFileSync(join(DIST, 'console.json'), JSON.stringify({ html, files: built }));
writeFileSync(join(DIST, 'console-packages.json'), JSON.stringify(packagesOf([...inputs], ROOT)));
