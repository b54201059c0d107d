import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LIMITS } from '../../contract/limits.ts';
import { failures } from './failures.ts';
import type { ReadObject } from './port.ts';

/** By which the file system says that asking again is of no use. */
const FOR_GOOD: ReadonlySet<string> = new Set([
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
 * Reads objects of one machine: files of a folder that has a folder for each bucket. No key, and no link in the folder, leads out
 * of its bucket. Files have no versions.
 */
export function objectsInFolder(folder: string): ReadObject {
  return async ({ bucket, key, versionId }) => {
    if (versionId !== undefined) throw failures.noObject();
    const path = await pathOf(folder, bucket, key).catch(refused);
    return readFile(path).catch(refused);
  };
}

async function pathOf(folder: string, bucket: string, key: string): Promise<string> {
  const root = await realpath(folder);
  const path = await realpath(join(root, bucket, key));
  if (!path.startsWith(join(root, bucket) + sep)) throw failures.noObject();
  return path;
}

async function readFile(path: string): Promise<Uint8Array> {
  // a pipe would be waited for
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) throw failures.noObject();
  if (stats.size > LIMITS.bodyBytes) throw failures.tooLarge();
  return file.readFile();
}

function refused(error: unknown): never {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  throw FOR_GOOD.has(String(error.code)) ? failures.noObject(error) : failures.unavailable(error);
}
