import { searchOnce } from '../../../lib/content/search-once.ts';
import { endOfQuoted } from '../../../lib/contract/quoted.ts';
import { positionsIn } from '../../../lib/contract/text-position.ts';
import { type FileFault, TranslationFileError } from '../file-fault.ts';

/** A token of a gettext file: a comment without its `#`, a keyword, or a text without its quotes and escapes. */
export type PoToken = PoRange &
  (
    | { readonly kind: 'comment'; readonly text: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'key'; readonly key: string; readonly form: number | undefined }
  );

/** A range of the file's text. */
interface PoRange {
  readonly start: number;
  readonly end: number;
}

const TOKEN =
  /(?<space>\s+)|#(?<comment>[^\r\n]*)|(?<key>domain|msgctxt|msgid_plural|msgid|msgstr(?=[\s[]|"|$))(?:[ \t]*\[[ \t]*(?<form>\d{1,9})[ \t]*\])?(?![\w[\]-])|(?<quote>")/y;

/**
 * Divides a gettext file into tokens. White space, also line breaks, may stand between any two.
 * @throws {TranslationFileError} with every line that has something else
 */
export function tokensIn(text: string): PoToken[] {
  const tokens: PoToken[] = [];
  const faults: FileFault[] = [];
  const positionOf = positionsIn(text);
  // A line may have many tokens, so its end is searched once.
  const endOfLine = searchOnce((from) => {
    LINE_END.lastIndex = from;
    return LINE_END.exec(text)?.index ?? -1;
  });
  /** The end of the line of the last text. */
  let textLineEnd = 0;
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const { 0: found = '', groups = {} } = TOKEN.exec(text) ?? {};
    const start = at;
    at += found.length;
    const { comment, key, form, quote } = groups;
    if (comment !== undefined) tokens.push({ kind: 'comment', start, end: at, text: comment });
    else if (key !== undefined)
      tokens.push({ kind: 'key', start, end: at, key, form: form ? Number(form) : undefined });
    else if (found !== '' && quote === undefined) continue;
    else {
      const lineEnd = endOfLine(start);
      const end = quote === undefined ? undefined : endOfQuoted(text, start);
      if (end !== undefined && end <= lineEnd) {
        at = end;
        tokens.push({ kind: 'text', start, end, text: resolveEscapes(text.slice(start + 1, end - 1)) });
        textLineEnd = lineEnd;
      } else {
        const isAfterText = tokens.at(-1)?.kind === 'text' && lineEnd === textLineEnd;
        faults.push({ place: positionOf(start), code: 'syntax', detail: detailOf(quote, isAfterText) });
        at = lineEnd;
      }
    }
  }
  if (faults.length > 0) throw new TranslationFileError(faults);
  return tokens;
}

const LINE_END = /[\r\n]|$/g;

function detailOf(quote: string | undefined, isAfterText: boolean): string {
  if (quote !== undefined) return 'The quote is not closed.';
  return isAfterText
    ? 'The text ended at the quote before. Write \\" for a quote in a text.'
    : 'The line is not gettext.';
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r' },
  ...{ a: '\u0007', b: '\b', f: '\f', v: '\v' },
};

/** Resolves the escapes of GNU gettext. */
function resolveEscapes(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{1,2})|([0-7]{1,3})|(.))/gs,
    (whole, hex: string | undefined, octal: string | undefined, name: string = '') => {
      if (name !== '') return NAMED[name] ?? name;
      const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16);
      // Larger codes are bytes of the file's encoding, which only together are a character.
      return code > 0x7f ? whole.slice(1) : String.fromCharCode(code);
    },
  );
}
