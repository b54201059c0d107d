import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installPeers } from '../bench/support/install-peers.ts';

/** `npm run docs:site` builds the site of docs/ into dist/site, and checks its links and its sentences. */

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(import.meta.dirname, 'docs-site');
const PAGES = join(FOLDER, 'pages');
const SITE = join(ROOT, 'dist/site');

const STEPS = [
  { cwd: FOLDER, args: ['vitepress/bin/vitepress.js', 'build', '.'] },
  {
    cwd: SITE,
    // Links to other hosts, and to a running Segue, are not followed, so the check needs nothing but the site.
    args: [
      ...['linkinator/build/src/cli.js', '.', '--recurse', '--check-fragments', '--clean-urls', '--verbosity', 'error'],
      ...['--skip', '^https?://(?!127\\.0\\.0\\.1[:/])', '--skip', '^http://127\\.0\\.0\\.1:8787/'],
    ],
  },
  { cwd: FOLDER, args: ['../readability.mjs'] },
];

await installPeers(FOLDER);
cpSync(join(ROOT, 'docs'), PAGES, { recursive: true });
const failed = STEPS.filter(({ cwd, args: [program = '', ...args] }) => {
  const path = join(FOLDER, 'node_modules', program);
  return spawnSync(process.execPath, [path, ...args], { cwd, stdio: 'inherit' }).status !== 0;
});
rmSync(PAGES, { recursive: true });
process.exitCode = failed.length === 0 ? 0 : 1;
