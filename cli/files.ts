import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
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

/** Reads a file. @throws {CliError} if it cannot be read */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw fileError({ path, to: 'read' }, cause);
  }
}

/** Writes a file. @throws {CliError} if it cannot be written, or exists and is not to be replaced */
export async function writeBytes(
  path: string,
  content: string | Uint8Array,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  try {
    await writeFile(path, content, { flag: overwrite ? 'w' : 'wx' });
  } catch (cause) {
    throw fileError({ path, to: 'written' }, cause);
  }
}

/** Replaces a file at once, so that a failure leaves the old one whole. */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  const temporary = `${path}.segue-${process.pid}`;
  await writeBytes(temporary, content, { overwrite: false });
  await rename(temporary, path);
}
