import { positionsIn } from '../../lib/contract/text-position.ts';
import { areEqual, latin1Of, utf8Length, utf16Bytes } from './bytes.ts';
import { type FileFault, TranslationFileError } from './file-fault.ts';
import { decoderOf, legacyEncoder } from './legacy-encodings.ts';

/** The largest file that is read, in bytes. A project has at most 4 MiB, and its largest file is a few times larger. */
const MAX_FILE_BYTES = 67_108_864;
/** How many bytes at the start of a file may declare its encoding. */
const START_BYTES = 4_096;

/** A file as text. */
export interface DecodedFile {
  /** The text without the byte order mark. */
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  /** The encoding, by a name that the platform's decoder knows. */
  readonly encoding: string;
  /** Whether `&#8364;` stands for a character, so that the file can have those that its encoding lacks. */
  readonly hasReferences: boolean;
}

const UNICODE = ['utf-8', 'utf-16le', 'utf-16be'] as const;
type Unicode = (typeof UNICODE)[number];

const BYTE_ORDER_MARKS: readonly (readonly [encoding: Unicode, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const TO_UTF_8 = 'Convert it to UTF-8.';

const IN_XML = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/;

/**
 * Decodes a file. A byte order mark decides about the encoding, then the declaration in the file, then UTF-8. UTF-16 is
 * also known by its zero bytes.
 * @param declaredIn finds the name of the encoding in the first bytes of a file, which are given as Latin-1. In XML it is
 *   always found
 * @param advice says how to convert a file that cannot be read
 * @throws {TranslationFileError} if the file is too large, is not text in its encoding, or could not be written again
 */
export function decodeFile(
  file: Uint8Array | string,
  declaredIn?: (start: string) => string | undefined,
  advice = TO_UTF_8,
): DecodedFile {
  if (typeof file === 'string') {
    if (utf8Length(file) > MAX_FILE_BYTES) throw tooLarge();
    const hasByteOrderMark = file.startsWith('\ufeff');
    const text = hasByteOrderMark ? file.slice(1) : file;
    return { text, hasByteOrderMark, encoding: 'utf-8', hasReferences: false };
  }
  if (file.length > MAX_FILE_BYTES) throw tooLarge();
  const marked = BYTE_ORDER_MARKS.find(([, bytes]) => bytes.every((byte, index) => file[index] === byte));
  const start = latin1Of(file.subarray(0, START_BYTES));
  const inXml = IN_XML.exec(start)?.[1];
  const declared = inXml ?? declaredIn?.(start);
  // A declaration that is read byte by byte is not in UTF-16.
  const guessed = file.length % 2 === 0 ? utf16Of(start) : undefined;
  const label = marked?.[0] ?? guessed ?? (declared && !/^utf-?16/i.test(declared) ? declared : 'utf-8');
  const bytes = marked ? file.subarray(marked[1].length) : file;
  const decoded = {
    text: decode(bytes, label, declared !== undefined, advice),
    hasByteOrderMark: marked !== undefined,
    encoding: nameOf(label),
    hasReferences: inXml !== undefined,
  };
  if (!isUnicode(decoded.encoding)) requireSame(decoded, bytes);
  return decoded;
}

/** Returns the kind of UTF-16 in which a text without a byte order mark is: every other byte of most texts is zero then. */
function utf16Of(start: string): Unicode | undefined {
  const zeros = [0, 0];
  for (let index = 0; index < start.length; index++) {
    if (start.charCodeAt(index) === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) <= start.length / 4 || Math.min(even, odd) > Math.max(even, odd) / 8) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

function isUnicode(encoding: string): encoding is Unicode {
  return UNICODE.some((name) => name === encoding);
}

/** Returns one name for all names of a Unicode encoding. */
function nameOf(label: string): string {
  const name = new TextDecoder(label).encoding;
  return isUnicode(name) ? name : label.toLowerCase();
}

function decode(bytes: Uint8Array, label: string, isDeclared: boolean, advice: string): string {
  try {
    return decoderOf(label, { fatal: true })(bytes);
  } catch (error) {
    if (error instanceof RangeError)
      throw unreadable(`Segue does not know its encoding ${JSON.stringify(label)}`, advice);
    const { line, column } = nameOf(label) === 'utf-8' ? placeOfBadUtf8(bytes) : { line: 1 };
    const detail = isDeclared
      ? `it is not text in its encoding ${JSON.stringify(label)}`
      : 'it is not UTF-8, and names no other encoding';
    throw unreadable(detail, advice, line, column);
  }
}

function placeOfBadUtf8(bytes: Uint8Array): { readonly line: number; readonly column?: number } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let [offset, from] = [0, 0];
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) {
    offset += utf8Length(text.slice(from, at));
    from = at;
    // The file may have this character itself.
    const isReal = [0xef, 0xbf, 0xbd].every((byte, index) => bytes[offset + index] === byte);
    if (!isReal) return positionsIn(text)(at);
  }
  return { line: 1 };
}

/** Refuses a file that would not come back byte for byte. So it is refused before somebody translates it. */
function requireSame(file: DecodedFile, bytes: Uint8Array): void {
  const encoder = legacyEncoder(file.encoding);
  const missing = encoder.firstMissing(file.text);
  if (missing < 0 && areEqual(encoder.encode(file.text), bytes)) return;
  const { line, column } = missing < 0 ? { line: 1 } : positionsIn(file.text)(missing);
  throw unreadable(`Segue cannot write it in its encoding ${JSON.stringify(file.encoding)}`, TO_UTF_8, line, column);
}

function unreadable(reason: string, advice: string, line?: number, column?: number): TranslationFileError {
  return fileError('encoding', `The file cannot be read, because ${reason}. ${advice}`, line, column);
}

/**
 * Encodes a text as it was decoded.
 * @throws {TranslationFileError} at the first character that the encoding lacks
 */
export function encodeFile({ text, hasByteOrderMark, encoding }: DecodedFile): Uint8Array {
  const whole = hasByteOrderMark ? `\ufeff${text}` : text;
  if (encoding === 'utf-8') return new TextEncoder().encode(whole);
  if (encoding === 'utf-16le') return utf16Bytes(whole, { isLittleEndian: true });
  if (encoding === 'utf-16be') return utf16Bytes(whole, { isLittleEndian: false });
  const encoder = legacyEncoder(encoding);
  const missing = encoder.firstMissing(text);
  if (missing < 0) return encoder.encode(text);
  const { line, column } = positionsIn(text)(missing);
  throw fileError('encoding', lackingDetail({ encoding }, text, missing), line, column);
}

/** Returns a function that finds the index of the first character that the encoding of a file lacks; -1 if there is none. */
export function missingIn({ encoding }: DecodedFile): (text: string) => number {
  return isUnicode(encoding) ? () => -1 : legacyEncoder(encoding).firstMissing;
}

/** Returns the detail of the fault of a character that the encoding of a file lacks. */
export function lackingDetail({ encoding }: Pick<DecodedFile, 'encoding'>, text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  const character = `${String.fromCodePoint(code)} (U+${code.toString(16).toUpperCase().padStart(4, '0')})`;
  return `The file is in ${encoding}, which lacks the character ${character}. Convert the file to UTF-8.`;
}

/** Returns the error of a file with a single fault. */
export function fileError(code: FileFault['code'], detail: string, line = 1, column?: number): TranslationFileError {
  const place = column === undefined ? { line } : { line, column };
  return new TranslationFileError([{ place, code, detail }]);
}

function tooLarge(): TranslationFileError {
  return fileError('too-large', `The file has more than ${MAX_FILE_BYTES / 1_048_576} MiB.`);
}
