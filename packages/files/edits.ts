import { lazy } from '../../lib/contract/lazy.ts';
import { positionsIn } from '../../lib/contract/text-position.ts';
import { type DecodedFile, encodeFile, lackingDetail, missingIn } from './decode.ts';
import { type FileFault, TranslationFileError } from './file-fault.ts';

/** A change of a text: the range to replace, and what replaces it. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns a text after edits, which must not overlap. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/**
 * Encodes a file after edits, as it was decoded. In HTML and XML, a character that the encoding lacks becomes a reference.
 * @throws {TranslationFileError} with each edit that has such a character in another format
 */
export function encodeEdits(file: DecodedFile, edits: readonly Edit[]): Uint8Array {
  const missing = missingIn(file);
  const placeOf = lazy(() => positionsIn(file.text));
  const faults: FileFault[] = [];
  const encodable = edits.map((edit) => {
    const at = missing(edit.text);
    if (at < 0) return edit;
    if (file.hasReferences && !edit.text.includes('<![CDATA['))
      return { ...edit, text: withReferences(edit.text, missing) };
    faults.push({ place: placeOf()(edit.start), code: 'encoding', detail: lackingDetail(file, edit.text, at) });
    return edit;
  });
  if (faults.length > 0) throw new TranslationFileError(faults);
  return encodeFile({ ...file, text: applyEdits(file.text, encodable) });
}

function withReferences(text: string, missing: (text: string) => number): string {
  return text.replace(/[^\0-\x7f]/gu, (character) =>
    missing(character) < 0 ? character : `&#${character.codePointAt(0)};`,
  );
}
