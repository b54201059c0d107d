/*
 * Takes the place of `node:crypto` in the console. A browser hashes only asynchronously, and file formats need the digest
 * of a short text at once.
 */

/** The first 32 bits of the fractional part of a number. */
const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const PRIMES = Array.from({ length: 312 }, (_, index) => index).filter(
  (value) =>
    value > 1 && !Array.from({ length: 16 }, (_, index) => index + 2).some((n) => n < value && value % n === 0),
);
/** The constants of the 64 rounds, and the first state (FIPS 180-4, 4.2.2 and 5.3.3). */
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const FIRST = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

const rotated = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/** Returns the SHA-256 of bytes, as FIPS 180-4 describes it. */
function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = Int32Array.from(FIRST);
  for (let at = 0; at < padded.length; at += 64) addBlock(state, view, at);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setInt32(4 * index, word);
  return new Uint8Array(digest.buffer);
}

/** Adds a block of 64 bytes to the state. */
function addBlock(state: Int32Array, view: DataView, at: number): void {
  const words = new Int32Array(64);
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(at + 4 * index);
  for (let index = 16; index < 64; index++) {
    const [early = 0, late = 0] = [words[index - 15], words[index - 2]];
    const small = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const large = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[index] = (words[index - 16] ?? 0) + small + (words[index - 7] ?? 0) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice;
    const first = one + (ROUNDS[index] ?? 0) + (words[index] ?? 0);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}

/** The part of a hash of `node:crypto` that file formats use. */
class Hash {
  readonly #text: string;

  constructor(text = '') {
    this.#text = text;
  }

  update(text: string): Hash {
    return new Hash(this.#text + text);
  }

  digest(_encoding: 'hex'): string {
    return Array.from(sha256(new TextEncoder().encode(this.#text)), (byte) => byte.toString(16).padStart(2, '0')).join(
      '',
    );
  }
}

/** Returns a hash, like `createHash` of `node:crypto`. */
export function createHash(_algorithm: 'sha256'): Hash {
  return new Hash();
}
