import { latin1Of } from './bytes.ts';

/** Encodes text in an encoding of old, such as windows-1252. */
export interface LegacyEncoder {
  /** Returns the index of the first character that the encoding lacks; -1 if it has all. */
  readonly firstMissing: (text: string) => number;
  /** Encodes a text of characters that the encoding has. */
  readonly encode: (text: string) => Uint8Array;
}

const encoders = new Map<string, LegacyEncoder>();

/**
 * Returns the encoder of an encoding with one or two bytes for each character. It is made from the platform's decoder, so
 * no tables are needed. Longer characters and escape sequences are missing.
 * @param encoding a name that `decoderOf` knows
 */
export function legacyEncoder(encoding: string): LegacyEncoder {
  const known = encoders.get(encoding) ?? encoderFrom(bytesByCharacter(encoding));
  encoders.set(encoding, known);
  return known;
}

function encoderFrom(bytesOf: ReadonlyMap<string, number>): LegacyEncoder {
  return {
    firstMissing(text) {
      let at = 0;
      for (const character of text) {
        if (!bytesOf.has(character)) return at;
        at += character.length;
      }
      return -1;
    },
    encode(text) {
      const bytes = new Uint8Array(2 * text.length);
      let length = 0;
      for (const character of text) {
        const code = bytesOf.get(character) ?? 0;
        if (code > 0xff) bytes[length++] = code >> 8;
        bytes[length++] = code & 0xff;
      }
      return bytes.slice(0, length);
    },
  };
}

/** Returns the bytes of each character as a number. Of several, the first is taken. */
function bytesByCharacter(encoding: string): Map<string, number> {
  const decode = decoderOf(encoding, { fatal: false });
  const bytesOf = new Map<string, number>();
  const add = (code: number, ...bytes: number[]): boolean => {
    const [character = '', ...others] = decode(Uint8Array.from(bytes));
    const isOne = others.length === 0 && character !== '\ufffd' && character !== '';
    if (isOne && !bytesOf.has(character)) bytesOf.set(character, code);
    return isOne;
  };
  for (let first = 0; first <= 0xff; first++) {
    if (add(first, first)) continue;
    for (let second = 0x30; second <= 0xfe; second++) add(first * 0x100 + second, first, second);
  }
  return bytesOf;
}

/** The encodings that browsers take for windows-1252, with the characters of Latin-1 that they lack. */
const PART_OF_LATIN: readonly (readonly [label: RegExp, lacked: RegExp])[] = [
  [/^(?:us-)?ascii$/i, /[^\0-\x7f]/g],
  [/^(?:iso-?8859-?1|iso_8859-1|latin1|l1|cp819)$/i, /(?!)/g],
];

/** Returns the encoding that browsers take a name for. */
export function browserEncoding(label: string): string {
  return PART_OF_LATIN.some(([name]) => name.test(label)) ? 'windows-1252' : label;
}

/**
 * Returns the decoder of an encoding. Latin-1 and ASCII are what their names say, not windows-1252 as in browsers.
 * @throws {RangeError} if no such encoding is known
 * @throws {TypeError} from the decoder, if `fatal` is set and the bytes are not text in the encoding
 */
export function decoderOf(label: string, { fatal }: { readonly fatal: boolean }): (bytes: Uint8Array) => string {
  const [, lacked] = PART_OF_LATIN.find(([name]) => name.test(label)) ?? [];
  if (!lacked) {
    const decoder = new TextDecoder(label, { fatal, ignoreBOM: true });
    return (bytes) => decoder.decode(bytes);
  }
  return (bytes) => {
    const text = latin1Of(bytes).replace(lacked, '\ufffd');
    if (fatal && text.includes('\ufffd')) throw new TypeError(`The bytes are not ${label}`);
    return text;
  };
}
