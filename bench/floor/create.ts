import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openFloorDatabase } from './database.ts';

/**
 * The least work that any creation of a large project has to do, for comparison with Segue. It runs in its own process,
 * so that its garbage does not slow down other measurements. The argument is a folder with the body as `body.json`. For
 * each message that it receives, it does the work once and sends back the milliseconds.
 */

const [folder = ''] = process.argv.slice(2);
const database = openFloorDatabase(folder);
const body = readFileSync(join(folder, 'body.json'));
const text = body.toString();

process.on('message', () => {
  const began = performance.now();
  JSON.parse(text);
  database.insert(gzipSync(body, { level: 6 }));
  process.send?.(performance.now() - began);
});
process.once('disconnect', () => database[Symbol.dispose]());
