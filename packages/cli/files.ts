import { readFile, readlink, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { publishFile } from '../../lib/service/publish-file.ts';
import { CliError, errorCode } from './io.ts';

/** What the codes of Node mean for a file that a command reads or writes. */
const REASONS: Readonly<Record<string, (path: string) => string>> = {
  EISDIR: () => 'it is a folder',
  ENOTDIR: (path) => `${dirname(path)} is not a folder`,
  EACCES: () => 'you do not have the permission',
  EPERM: () => 'you do not have the permission',
  EROFS: () => 'the file system is read-only',
  ENOSPC: () => 'the disk is full',
  EEXIST: () => 'it exists already; to replace it, add --overwrite',
};
const NOT_THERE = {
  read: () => 'there is no such file',
  written: (path: string) => `the folder ${dirname(path)} does not exist`,
} as const;

/** A file that a command cannot use. */
interface UnusableFile {
  readonly path: string;
  /** What the command wanted to do with it. */
  readonly to: keyof typeof NOT_THERE;
  /** What the file has, such as `manifest`. */
  readonly content?: string | undefined;
}

/** Returns the error for the user of a file that cannot be read or written. Only a full disk is no usage error. */
export function fileError({ path, to, content = 'file' }: UnusableFile, cause: unknown): CliError {
  const code = errorCode(cause);
  const reason = (code === 'ENOENT' ? NOT_THERE[to] : REASONS[code])?.(path) ?? code;
  const exitCode = code === 'ENOSPC' ? 1 : 2;
  return new CliError(`the ${content} ${path} cannot be ${to}: ${reason}`, { exitCode, cause });
}

/** Reads, opens or writes a file. @throws {CliError} if that fails */
export async function useFile<T>(file: UnusableFile, work: () => Promise<T>): Promise<T> {
  return work().catch((cause: unknown) => {
    throw fileError(file, cause);
  });
}

/** Reads a file. @throws {CliError} if it cannot be read */
export async function readBytes(path: string): Promise<Uint8Array> {
  return useFile({ path, to: 'read' }, () => readFile(path));
}

/** Reads a file of text in UTF-8. @throws {CliError} if it cannot be read */
export async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path));
}

/** Writes a file. @throws {CliError} if it cannot be written, or exists and is not to be replaced */
export async function writeBytes(
  path: string,
  content: string | Uint8Array,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  if (overwrite) return replaceFile(path, content);
  return useFile({ path, to: 'written' }, () => writeFile(path, content, { flag: 'wx' }));
}

/**
 * Replaces a file at once, so that a failure leaves the old one whole. Writes to the target of a symbolic link. The new
 * file has the mode of the old one, and its owner if the user may set it. Creates the file if it does not exist.
 * @param mode another mode for the file
 * @throws {CliError} if the file cannot be written
 */
export async function replaceFile(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  return useFile({ path, to: 'written' }, async () => {
    const target = await realpath(path).catch(() => targetOf(path));
    const old = await stat(target).catch(() => undefined);
    // A device, such as /dev/stdout, cannot be replaced.
    if (old && !old.isFile()) await writeFile(target, content);
    else publishFile(target, content, { mode: mode ?? (old && old.mode & 0o777), owner: old });
  });
}

/** Returns the target of a symbolic link; the path itself if it is no link. */
async function targetOf(path: string): Promise<string> {
  return readlink(path).then(
    (target) => resolve(dirname(path), target),
    () => path,
  );
}
