import { type FileFault, TranslationFileError } from './file-fault.ts';

/** The largest file that is read, in bytes. A project has at most 4 MiB, and its largest file is a few times larger. */
const MAX_FILE_BYTES = 67_108_864;

/** The encodings that files are written in. Files in other encodings can only be read. */
type FileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** A file as text. */
export interface DecodedFile {
  /** The text without the byte order mark. */
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  /** The encoding, as the Encoding Standard names it. */
  readonly encoding: string;
}

const BYTE_ORDER_MARKS: readonly (readonly [encoding: FileEncoding, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Decodes a file. A byte order mark decides about the encoding, then the declaration in the file, then UTF-8.
 * @param declaredIn finds the name of the encoding in the first bytes of a file, which are given as Latin-1
 * @throws {TranslationFileError} if the file is too large, or not text in its encoding
 */
export function decodeFile(file: Uint8Array | string, declaredIn?: (start: string) => string | undefined): DecodedFile {
  if (typeof file === 'string') {
    if (Buffer.byteLength(file) > MAX_FILE_BYTES) throw tooLarge();
    const hasByteOrderMark = file.startsWith('\ufeff');
    return { text: hasByteOrderMark ? file.slice(1) : file, hasByteOrderMark, encoding: 'utf-8' };
  }
  if (file.length > MAX_FILE_BYTES) throw tooLarge();
  const marked = BYTE_ORDER_MARKS.find(([, bytes]) => bytes.every((byte, index) => file[index] === byte));
  const declared = declaredIn?.(Buffer.from(file.subarray(0, 4_096)).toString('latin1'));
  const label = marked?.[0] ?? declared ?? 'utf-8';
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    const text = decoder.decode(marked ? file.subarray(marked[1].length) : file);
    return { text, hasByteOrderMark: marked !== undefined, encoding: decoder.encoding };
  } catch {
    throw fileError('encoding', `The file is not text in the encoding ${JSON.stringify(label)}.`);
  }
}

/** Encodes a text as it was decoded. @throws {TranslationFileError} if Segue cannot write the encoding */
export function encodeFile({ text, hasByteOrderMark, encoding }: DecodedFile): Uint8Array {
  const whole = hasByteOrderMark ? `\ufeff${text}` : text;
  if (encoding === 'utf-8') return Buffer.from(whole);
  if (encoding === 'utf-16le') return Buffer.from(whole, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(whole, 'utf16le').swap16();
  throw fileError('encoding', `Segue writes UTF-8 and UTF-16, and the file is in ${encoding}. Convert it to UTF-8.`);
}

/** Returns the error of a file with a single fault. */
export function fileError(code: FileFault['code'], detail: string, line = 1, column?: number): TranslationFileError {
  const place = column === undefined ? { line } : { line, column };
  return new TranslationFileError([{ place, code, detail }]);
}

function tooLarge(): TranslationFileError {
  return fileError('too-large', `The file has more than ${MAX_FILE_BYTES / 1_048_576} MiB.`);
}
