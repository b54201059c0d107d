import type { ByteRange, ManifestFile } from '../../lib/workflow/bulk/manifest.ts';
import { companyRefusal } from './company.ts';

type Bytes = ByteRange;

/** A line may be refused because it is too long to be held in memory. */
const CHUNK_BYTES = 1_048_576;

/** How the names of failures begin that a corrected line may avoid. */
const TERMINAL = 'Segue.Terminal.';

/** Collects the lines that were refused, to write them as they were. */
export class RefusedLines {
  readonly #lines: Bytes[] = [];

  /** Leaves out lines that need no correction: their failure may pass, or is about the company. Running the manifest again repeats them. */
  add(failure: string, { offset, bytes }: Bytes): void {
    if (failure.startsWith(TERMINAL) && !companyRefusal(failure)) this.#lines.push({ offset, bytes });
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
