import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LIMITS } from '../contract/limits.ts';
import { objectProblems, type ReadObject } from './project-reference.ts';

/** The codes of file errors that a retry cannot fix. */
const PERMANENT: ReadonlySet<string> = new Set([
  'EACCES',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENXIO',
  'ERR_INVALID_ARG_VALUE',
]);

/**
 * Reads objects from a local folder, which has one subfolder for each bucket. It reads no file outside the bucket's
 * subfolder, even if a key or a symbolic link points there. It refuses version ids, because files have no versions.
 */
export function objectsInFolder(folder: string): ReadObject {
  return async ({ bucket, key, versionId }) => {
    if (versionId !== undefined) throw objectProblems.notReadable();
    try {
      return await readFile(await pathOf(folder, bucket, key));
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      throw PERMANENT.has(String(error.code)) ? objectProblems.notReadable(error) : objectProblems.unavailable(error);
    }
  };
}

async function pathOf(folder: string, bucket: string, key: string): Promise<string> {
  const root = await realpath(folder);
  const path = await realpath(join(root, bucket, key));
  if (!path.startsWith(join(root, bucket) + sep)) throw objectProblems.notReadable();
  return path;
}

async function readFile(path: string): Promise<Uint8Array> {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw objectProblems.notReadable();
    if (stats.size > LIMITS.bodyBytes) throw objectProblems.tooLarge();
    return await file.readFile();
  } finally {
    await file.close();
  }
}
