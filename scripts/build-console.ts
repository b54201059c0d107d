import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { installPeers } from '../bench/support/install-peers.ts';
import { packagesOf } from '../infra/sbom/bundled-package.ts';

/**
 * `npm run build:console` builds the console: the files in `dist/console`, which `npm start` serves, and
 * `dist/console.json`, which a stack serves. There, the names contain a hash, so that caches may keep the files.
 */

const CONSOLE = join(import.meta.dirname, '../packages/console');
const ROOT = join(import.meta.dirname, '..');
const OUTDIR = join(ROOT, 'dist/console');

await installPeers(CONSOLE);
const { metafile } = await build({
  absWorkingDir: ROOT,
  metafile: true,
  entryPoints: { console: join(CONSOLE, 'main.tsx') },
  outdir: OUTDIR,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  logLevel: 'warning',
});
for (const name of ['index.html', 'console.css']) copyFileSync(join(CONSOLE, name), join(OUTDIR, name));

let html = readFileSync(join(OUTDIR, 'index.html'), 'utf8');
const files = ['console.js', 'console.css'].map((path) => {
  const bytes = readFileSync(join(OUTDIR, path));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const name = path.replace('.', `-${hash}.`);
  if (!html.includes(`"console/${path}"`)) throw new Error(`index.html does not load ${path}`);
  html = html.replace(`"console/${path}"`, `"console/${name}"`);
  return { name, length: bytes.length, gzip: gzipSync(bytes, { level: 9 }).toString('base64') };
});
writeFileSync(join(OUTDIR, '../console.json'), JSON.stringify({ html, files }));
writeFileSync(join(OUTDIR, '../console-packages.json'), JSON.stringify(packagesOf(Object.keys(metafile.inputs), ROOT)));
