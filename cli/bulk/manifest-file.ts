import { type FileHandle, open } from 'node:fs/promises';
import { Problem } from '../../lib/contract/problem.ts';
import { failureName } from '../../lib/contract/problems.ts';
import { CompanyError } from '../../lib/credentials/companies.ts';
import { COMPANY_SUSPENDED, NO_SUCH_COMPANY } from '../../lib/credentials/company-record.ts';
import { type ByteRange, type ManifestFile, manifestChanged } from '../../lib/workflow/bulk/manifest.ts';
import { scanManifest } from '../../lib/workflow/bulk/scan-manifest.ts';
import { CliError, errorCode } from '../io.ts';

const CHUNK_BYTES = 1_048_576;

/** A manifest on this machine. */
export interface LocalManifest extends ManifestFile {
  /** In bytes. */
  readonly size: number;
  /** @throws {Problem} `manifestChanged` */
  requireUnchanged(): Promise<void>;
}

/** Opens a manifest for some work. @throws {CliError} if it cannot be read */
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

/** Reads a range in chunks of 1 MiB: even a single line may be too large for the memory. */
async function* readChunks(read: ManifestFile['read'], { offset, bytes }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    yield await read({ offset: offset + at, bytes: Math.min(CHUNK_BYTES, bytes - at) });
  }
}

/** Reads a manifest before any of it runs. @throws {CliError} if it is not JSON Lines */
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

/** Turns a problem of the whole manifest into a usage error. A problem of one line is a result instead. */
export function asUsageError(error: unknown): unknown {
  return error instanceof Problem ? new CliError(error.message, { exitCode: 2, cause: error }) : error;
}

async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path).catch((error: unknown) => {
    throw new CliError(`the manifest cannot be opened: ${errorCode(error)}`, { exitCode: 2 });
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new CliError('the manifest must be a file: it is read more than once', { exitCode: 2 });
}

/** Changes when somebody writes to the file. If another file takes its name, the open one stays the same. */
async function versionOf(handle: FileHandle): Promise<string> {
  const { size, mtimeNs } = await handle.stat({ bigint: true });
  return `${size} ${mtimeNs}`;
}

/** The prefix of failures that a corrected line may avoid. */
const TERMINAL = 'Segue.Terminal.';

/** Failures that are about the company: no line is wrong, and none can succeed. */
const COMPANY_MESSAGES: ReadonlyMap<string, string> = new Map([
  [failureName('company-not-found'), NO_SUCH_COMPANY],
  [failureName('company-suspended'), COMPANY_SUSPENDED],
]);

/** The refusal that ends a run. @returns `undefined` if the failure is about one line */
export function companyRefusal(failure = ''): CompanyError | undefined {
  const message = COMPANY_MESSAGES.get(failure);
  return message === undefined ? undefined : new CompanyError(message);
}

/** Collects the refused lines of a run, to write them unchanged. */
export class RefusedLines {
  readonly #lines: ByteRange[] = [];

  /** Skips lines that need no correction: their failure may pass, or is about the company. */
  add(failure: string, { offset, bytes }: ByteRange): void {
    if (failure.startsWith(TERMINAL) && !companyRefusal(failure)) this.#lines.push({ offset, bytes });
  }

  get count(): number {
    return this.#lines.length;
  }

  /** Writes the lines in the order of the manifest, byte for byte. */
  async write(file: ManifestFile, write: (bytes: Uint8Array) => void): Promise<void> {
    for (const line of this.#lines.sort((one, other) => one.offset - other.offset)) {
      for await (const chunk of readChunks(file.read, line)) write(chunk);
      write(Buffer.from('\n'));
    }
  }
}
