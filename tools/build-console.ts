import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { installPeers } from '../bench/support/install-peers.ts';
import { packagesOf } from '../infra/sbom/bundled-package.ts';

/**
 * `npm run build:console` builds the console: `dist/console.json`, with its page and its files, whose names contain a
 * hash, so that caches may keep them.
 */

const CONSOLE = join(import.meta.dirname, '../packages/console');
const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
await installPeers(CONSOLE);
const { metafile, outputFiles } = await build({
  absWorkingDir: ROOT,
  metafile: true,
  entryPoints: { console: join(CONSOLE, 'main.tsx') },
  outdir: CONSOLE,
  write: false,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  logLevel: 'warning',
});
const built = Object.fromEntries(outputFiles.map(({ path, contents }) => [basename(path), contents]));
const contents = { ...built, 'console.css': readFileSync(join(CONSOLE, 'console.css')) };

let html = readFileSync(join(CONSOLE, 'index.html'), 'utf8');
const files = Object.entries(contents).map(([path, bytes]) => {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const name = path.replace('.', `-${hash}.`);
  if (!html.includes(`"console/${path}"`)) throw new Error(`index.html does not load ${path}`);
  html = html.replace(`"console/${path}"`, `"console/${name}"`);
  return { name, length: bytes.length, gzip: gzipSync(bytes, { level: 9 }).toString('base64') };
});
mkdirSync(DIST, { recursive: true });
writeFileSync(join(DIST, 'console.json'), JSON.stringify({ html, files }));
writeFileSync(join(DIST, 'console-packages.json'), JSON.stringify(packagesOf(Object.keys(metafile.inputs), ROOT)));
