import type { ManifestFile, Place } from '../../lib/bulk/manifest.ts';

type Bytes = Pick<Place, 'offset' | 'bytes'>;

/** A line may be refused because it is too long to be held in memory. */
const CHUNK_BYTES = 1_048_576;

/** The names of failures that the same line ends in again. */
const TERMINAL = 'Segue.Terminal.';

/** Collects the lines that were refused, to write them as they were. */
export class RefusedLines {
  readonly #lines: Bytes[] = [];

  /** A line whose failure may pass is not refused: running the manifest again repeats it. */
  add(failure: string, { offset, bytes }: Bytes): void {
    if (failure.startsWith(TERMINAL)) this.#lines.push({ offset, bytes });
  }

  get count(): number {
    return this.#lines.length;
  }

  /** Writes them in the order of the manifest, byte for byte. */
  async write(file: ManifestFile, to: (bytes: Uint8Array) => void): Promise<void> {
    for (const { offset, bytes } of this.#lines.sort((one, other) => one.offset - other.offset)) {
      for (let at = 0; at < bytes; at += CHUNK_BYTES) {
        to(await file.read({ offset: offset + at, bytes: Math.min(CHUNK_BYTES, bytes - at) }));
      }
      to(Buffer.from('\n'));
    }
  }
}
