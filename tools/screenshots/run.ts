import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installPeers } from '../../bench/support/install-peers.ts';
import { chromiumPath } from '../emulators/chromium.ts';

/**
 * `npm run screenshots -- <folder> [name…]` takes pictures of every page of Segue, with example data: 390 and 1,280 pixels
 * wide, in light and dark, and of the console also from right to left. With names, it takes only those of pages that begin
 * with one of them.
 */

const [folder, ...names] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name a folder for the pictures: npm run screenshots -- <folder> [name…]');
  process.exit(2);
}
const target = resolve(folder);
mkdirSync(target, { recursive: true });
process.env['CHROMIUM'] = chromiumPath();
await installPeers(join(import.meta.dirname, '../../test/browser'));
const { takeScreenshots } = await import('./take-screenshots.ts');
console.log(`${await takeScreenshots(target, names)} pictures in ${target}`);
