/** Where something is in a file: a line and a column, both from 1, or a JSON pointer. */
export type Place = { readonly line: number; readonly column?: number } | { readonly pointer: string };

/** A fault of a file. */
export interface FileFault {
  readonly place: Place;
  /** The kind of fault, for programs. Codes never change. */
  readonly code: FileFaultCode;
  /** A text for people: what is wrong, and what Segue expects. */
  readonly detail: string;
}

/** Every code of a file's faults with its meaning. */
export const FILE_FAULTS = {
  syntax: 'The file does not have the syntax of its format.',
  encoding: 'The bytes of the file are not text in its encoding.',
  'too-large': 'The file, or something in it, is larger or nested deeper than Segue reads.',
  'not-allowed': 'The file has something that Segue refuses to read, such as its own entities.',
  'wrong-version': 'The version of the format is not supported.',
  'missing-project': 'The file does not name its project.',
  'wrong-project': 'The file belongs to another project.',
  'missing-language': 'The file does not name the language of its translations.',
  'wrong-language': 'The project has no such target language, or the file has another language than you gave.',
  'missing-segment': 'The entry does not name its segment.',
  'unknown-segment': 'The project has no such segment.',
  'repeated-segment': 'The file has two different translations of the segment into the same language.',
  'source-differs': 'The source text of the entry is not the text of the segment.',
  'unknown-status': 'The status is none that Segue knows.',
  'unknown-code': 'The translation has a code that its source lacks.',
  'markup-lost': 'The translation lacks a tag or other markup of its segment, or has changed it.',
  'placeholder-lost': 'The translation lacks a placeholder of its segment, or has changed it.',
  'unpaired-tag': 'A tag of the translation is not closed, or closes nothing.',
  'missing-column': 'The header row lacks a column.',
  'wrong-columns': 'The row has another number of cells than the header row.',
  'ill-formed-unicode': 'The text contains an unpaired surrogate.',
} as const;
export type FileFaultCode = keyof typeof FILE_FAULTS;

/** The error of a file that cannot be read or written. It has every fault that was found. */
export class TranslationFileError extends Error {
  override readonly name = 'TranslationFileError';
  readonly faults: readonly FileFault[];

  constructor(faults: readonly FileFault[]) {
    super(faults.map(({ detail }) => detail).join(' '));
    this.faults = faults;
  }
}

/** Sorts faults and warnings by line and column. Those with JSON pointers keep their order. */
export function inFileOrder<T extends { readonly place: Place }>(found: readonly T[]): T[] {
  return found.toSorted(({ place: one }, { place: other }) =>
    'pointer' in one || 'pointer' in other ? 0 : one.line - other.line || (one.column ?? 0) - (other.column ?? 0),
  );
}

/** Formats a place for people: `line 3, column 7`, or a JSON pointer. */
export function formatPlace(place: Place): string {
  if ('pointer' in place) return place.pointer || '/';
  return place.column === undefined ? `line ${place.line}` : `line ${place.line}, column ${place.column}`;
}
