import { type FileHandle, open } from 'node:fs/promises';
import { type ManifestFile, manifestChanged } from '../../lib/workflow/bulk/manifest.ts';
import { ManifestUnusable } from './unusable.ts';

const CHUNK_BYTES = 1_048_576;

/** A manifest of this machine. */
export interface LocalManifest extends ManifestFile, AsyncDisposable {
  /** In bytes. */
  readonly size: number;
  /** @throws {Problem} `manifestChanged` */
  requireUnchanged(): Promise<void>;
}

/**
 * Opens a manifest of this machine.
 * @throws {ManifestUnusable} where there is none that can be read
 */
export async function openFile(path: string): Promise<LocalManifest> {
  const handle = await opened(path);
  const size = (await handle.stat()).size;
  const state = await stateOf(handle);
  const requireUnchanged = async () => {
    if ((await stateOf(handle)) !== state) throw manifestChanged();
  };
  async function read({ offset, bytes }: { readonly offset: number; readonly bytes: number }): Promise<Uint8Array> {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, offset);
    await requireUnchanged();
    return buffer.subarray(0, bytesRead);
  }
  return {
    size,
    read,
    requireUnchanged,
    async *chunks() {
      for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
        yield await read({ offset, bytes: Math.min(CHUNK_BYTES, size - offset) });
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function opened(path: string): Promise<FileHandle> {
  const handle = await open(path).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : 'Error';
    throw new ManifestUnusable(`the manifest cannot be opened: ${code}`);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new ManifestUnusable('the manifest must be a file: it is read more than once');
}

/** What changes where somebody writes into a file. One that is put in its place leaves the one that is open as it is. */
async function stateOf(handle: FileHandle): Promise<string> {
  const { size, mtimeNs } = await handle.stat({ bigint: true });
  return `${size} ${mtimeNs}`;
}
