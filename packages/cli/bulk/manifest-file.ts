import { type FileHandle, open } from 'node:fs/promises';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { failureName } from '../../../lib/contract/problems.ts';
import { NO_SUCH_COMPANY } from '../../../lib/contract/segue-command.ts';
import { CompanyError } from '../../../lib/credentials/companies.ts';
import { COMPANY_SUSPENDED } from '../../../lib/credentials/company-record.ts';
import { type ByteRange, type ManifestFile, manifestChanged } from '../../../lib/workflow/bulk/manifest.ts';
import { scanManifest } from '../../../lib/workflow/bulk/scan-manifest.ts';
import { useFile } from '../files.ts';
import { UsageError } from '../io.ts';

const CHUNK_BYTES = 1_048_576;

/** A manifest file on this machine. */
export interface LocalManifest extends ManifestFile {
  /** The file's size in bytes. */
  readonly size: number;
  /**
   * Checks that nobody has changed the file since it was opened.
   * @throws {Problem} `manifestChanged` if it has changed
   */
  requireUnchanged(): Promise<void>;
}

/** Opens a manifest, does some work with it, and closes it. @throws {CliError} if the file cannot be opened */
export async function withManifest<T>(path: string, work: (file: LocalManifest) => Promise<T>): Promise<T> {
  const handle = await openFile(path);
  try {
    const size = (await handle.stat()).size;
    const version = await versionOf(handle);
    const requireUnchanged = async () => {
      if ((await versionOf(handle)) !== version) throw manifestChanged();
    };
    const read = async ({ offset, bytes }: ByteRange): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, offset);
      await requireUnchanged();
      return buffer.subarray(0, bytesRead);
    };
    return await work({ size, read, requireUnchanged, chunks: () => readChunks(read, { offset: 0, bytes: size }) });
  } finally {
    await handle.close();
  }
}

/** Reads a range of a file in chunks of 1 MiB, because even one line may be too large for memory. */
async function* readChunks(read: ManifestFile['read'], { offset, bytes }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    yield await read({ offset: offset + at, bytes: Math.min(CHUNK_BYTES, bytes - at) });
  }
}

/**
 * Reads the whole manifest before any line runs, and counts its entries: the lines that are not blank.
 * @returns the number of entries, and the SHA-256 of the manifest's bytes, in hex
 * @throws {CliError} if the manifest is not JSON Lines, or changes while it is read
 */
export async function countEntries(file: ManifestFile): Promise<{ readonly sha256: string; readonly entries: number }> {
  let entries = 0;
  try {
    const sha256 = await scanManifest(file, () => {
      entries++;
    });
    return { sha256, entries };
  } catch (error) {
    throw asUsageError(error);
  }
}

/**
 * Converts a problem with the manifest to a usage error, and returns any other error unchanged. Do not pass the problem
 * of a single line: it is the result of that line.
 */
export function asUsageError(error: unknown): unknown {
  return error instanceof Problem ? new UsageError(error.message, { cause: error }) : error;
}

async function openFile(path: string): Promise<FileHandle> {
  const handle = await useFile({ path, to: 'read', content: 'manifest' }, () => open(path));
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new UsageError(`the manifest ${path} must be a regular file, because it is read more than once`);
}

/**
 * Returns a text that changes when the open file is written to. It stays the same if another file gets the file's name.
 */
async function versionOf(handle: FileHandle): Promise<string> {
  const { size, mtimeNs } = await handle.stat({ bigint: true });
  return `${size} ${mtimeNs}`;
}

/**
 * Reads a failed line, to show its faults in it.
 * @returns `undefined` if the line is too large, or the file has changed
 */
export async function textOfFailed(file: ManifestFile, { offset, bytes }: ByteRange): Promise<string | undefined> {
  if (bytes > LIMITS.bodyBytes) return undefined;
  try {
    return Buffer.from(await file.read({ offset, bytes })).toString();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** The prefix of failure names that a corrected line may avoid. */
const TERMINAL = 'Segue.Terminal.';

/** The messages for failures that concern the company. No line is wrong then, and no line can succeed. */
const COMPANY_MESSAGES: ReadonlyMap<string, string> = new Map([
  [failureName('company-not-found'), NO_SUCH_COMPANY],
  [failureName('company-suspended'), COMPANY_SUSPENDED],
]);

/**
 * Returns the error that ends the whole run, if a failure means that the company does not exist or is suspended.
 * @param failure the error name of the failure, such as `Segue.Terminal.company-suspended`
 * @returns `undefined` for any other failure
 */
export function companyRefusal(failure = ''): CompanyError | undefined {
  const message = COMPANY_MESSAGES.get(failure);
  return message === undefined ? undefined : new CompanyError(message);
}

/**
 * The refused lines of a run: the failed lines that may succeed after the user corrects them. They can be written
 * unchanged into a file.
 */
export class RefusedLines {
  readonly #lines: ByteRange[] = [];

  /** Adds a failed line if a correction may help. Other failures may pass by themselves, or concern the company. */
  add(failure: string, { offset, bytes }: ByteRange): void {
    if (failure.startsWith(TERMINAL) && !companyRefusal(failure)) this.#lines.push({ offset, bytes });
  }

  get count(): number {
    return this.#lines.length;
  }

  /** Writes the refused lines in the order of the manifest, byte for byte. */
  async write(file: ManifestFile, write: (bytes: Uint8Array) => void): Promise<void> {
    for (const line of this.#lines.sort((one, other) => one.offset - other.offset)) {
      for await (const chunk of readChunks(file.read, line)) write(chunk);
      write(Buffer.from('\n'));
    }
  }
}
