import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './floor.ts';
import { median } from './statistics.ts';

const ROUNDS = 200;
/** The size of a page of SQLite, in bytes. */
const PAGE = new Uint8Array(8_192);

/** Returns how long the disk of the databases takes to store a page that is added to a file: the median in milliseconds. */
export function fsyncMs(): number {
  using folder = temporaryFolder();
  const file = openSync(join(folder.path, 'pages'), 'w');
  try {
    return median(
      Array.from({ length: ROUNDS }, () => {
        const began = performance.now();
        writeSync(file, PAGE);
        fsyncSync(file);
        return performance.now() - began;
      }),
    );
  } finally {
    closeSync(file);
  }
}
