import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { installPeers } from '../bench/support/install-peers.ts';

/** `npm run build:console` builds the console's files in `dist/console`. */

const CONSOLE = join(import.meta.dirname, '../console');
const OUTDIR = join(import.meta.dirname, '../dist/console');

await installPeers(CONSOLE);
await build({
  entryPoints: { console: join(CONSOLE, 'main.tsx') },
  outdir: OUTDIR,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  logLevel: 'warning',
});
for (const name of ['index.html', 'console.css']) copyFileSync(join(CONSOLE, name), join(OUTDIR, name));
