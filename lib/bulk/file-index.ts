import type { Entry } from './manifest.ts';

const HEADER = 'entry,line,offset,bytes\n';
const PIECE_CHARACTERS = 65_536;

/**
 * Where the entries of a manifest are, as CSV that Step Functions reads: so it passes on numbers in place of content,
 * which would stay in the history of executions, and an entry may be as large as a body.
 */
export class FileIndex {
  #text = HEADER;
  readonly #pieces: Buffer[] = [];
  #entries = 0;

  add({ entry, line, offset, bytes }: Entry): void {
    this.#entries++;
    this.#text += `${entry},${line},${offset},${bytes}\n`;
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
