import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openFloorDatabase } from './database.ts';

/**
 * The floor of a large create, in a process of its own so that its garbage is nobody else's. Its argument is a folder
 * with the body as `body.json`; at every message it does the work once and answers with the milliseconds it took.
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
