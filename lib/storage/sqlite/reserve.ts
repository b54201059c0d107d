import { randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The size of the reserve, in bytes. SQLite empties its write-ahead log at half of it. */
const RESERVE_BYTES = 16_777_216;
/** How many bytes one call writes. */
const BLOCK_BYTES = 1_048_576;

/**
 * A file that keeps disk space for a store. If the disk is full, the store empties the file, and has room for
 * deletions and for its start.
 */
export interface Reserve {
  /** Gives the space back to the disk. */
  release(): void;
  /** Takes as much space as the file lacks, or as the disk has. */
  fill(): void;
}

/** The reserve of a store that has none. */
export const NO_RESERVE: Reserve = { release() {}, fill() {} };

/** Returns the reserve in the folder of a store. Its first `fill` creates the file. Its methods never throw. */
export function reserveIn(folder: string, bytes = RESERVE_BYTES): Reserve {
  const path = join(folder, 'segue.reserve');
  return {
    release: () => ignoringErrors(() => truncateSync(path)),
    fill: () => ignoringErrors(() => fillFile(path, bytes)),
  };
}

/** Appends random bytes to a file. A file system with compression would not reserve space for zeros. */
function fillFile(path: string, bytes: number): void {
  const file = openSync(path, 'a', 0o600);
  try {
    let missing = bytes - fstatSync(file).size;
    if (missing <= 0) return;
    const block = randomFillSync(Buffer.allocUnsafe(Math.min(BLOCK_BYTES, bytes)));
    while (missing > 0) missing -= writeSync(file, block, 0, Math.min(block.length, missing));
  } finally {
    closeSync(file);
  }
}

/** Runs work that a full or read-only disk may prevent. The store then goes on without it. */
function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {}
}
