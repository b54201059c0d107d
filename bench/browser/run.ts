import { join } from 'node:path';
import { chromiumPath } from '../../tools/emulators/chromium.ts';
import { installPeers } from '../support/install-peers.ts';

/** `npm run bench:console` measures the console in Chromium, as docs/benchmarks.md says. */

process.env['CHROMIUM'] = chromiumPath();
await installPeers(join(import.meta.dirname, '../../test/browser'));
const { consoleTable } = await import('./console.ts');
console.log(await consoleTable());
