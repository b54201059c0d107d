import type { Entry } from './manifest.ts';

const HEADER = 'entry,line,offset,bytes,occurrence\n';
const PIECE_CHARACTERS = 65_536;

/**
 * Where the entries of a manifest are, as CSV for Step Functions. So only numbers flow through an execution: content
 * would stay in its history, and an entry may be as large as a body. How many equal lines come before an entry is
 * known only to a reader of the whole manifest, so that is in the index too.
 */
export class FileIndex {
  #text = HEADER;
  readonly #pieces: Buffer[] = [];
  #entries = 0;

  add({ entry, line, offset, bytes, occurrence }: Entry): void {
    this.#entries++;
    this.#text += `${entry},${line},${offset},${bytes},${occurrence}\n`;
    if (this.#text.length >= PIECE_CHARACTERS) this.#flush();
  }

  get entries(): number {
    return this.#entries;
  }

  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#pieces);
  }

  #flush(): void {
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
