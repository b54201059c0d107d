import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file, or makes it. Only its owner may read it; a reader sees the old text or the new text, never a part. */
export function replacePrivateFile(path: string, text: string): void {
  writeWhole(path, text, renameSync);
}

/** Makes a file that only its owner may read. A file that is there stays: of two starts at once, one makes it. */
export function makePrivateFile(path: string, text: string): void {
  if (existsSync(path)) return;
  try {
    writeWhole(path, text, linkSync);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Writes a draft in the same folder, which then gets the name of the file. */
function writeWhole(path: string, text: string, name: (draft: string, path: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    name(draft, path);
  } finally {
    if (existsSync(draft)) unlinkSync(draft);
  }
}

/** The system's code of a failure, such as `EACCES`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
