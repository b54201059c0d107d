import { splitText, type TextPart } from './split-text.ts';
import { WEB_ADDRESS } from './web-address.ts';

/**
 * The texts that must come back unchanged, each with an example. Together they make one pattern, which tries them in
 * this order. None of them backtracks past a bracket or over more than 200 characters, so the search is linear. Those in
 * brackets may have line breaks, because a line break becomes a space, and then the placeholder would appear.
 */
const PLACEHOLDERS: Readonly<Record<string, RegExp>> = {
  // {{name}}, {{{name}}}
  mustache: /\{\{\{?[^{}]{1,200}\}?\}\}/,
  // ${x}, %{name}, #{name}
  prefixed: /[$%#]\{[^{}]{1,200}\}/,
  // $t(key), %(name)s
  called: /\$t\([^()\n]{1,200}\)|%\([^()\n]{1,200}\)[#0+-]{0,5}\d{0,3}(?:\.\d{1,3})?[a-zA-Z]/,
  // {}, {0}, {name}, {price, number, ::currency/EUR}
  braces: /\{\s*(?:[\w.$@-]{1,200}\s*(?:[,:|!][^{}]{0,200})?)?\}/,
  // %name%
  percents: /%[A-Za-z_][\w.-]{2,60}%/,
  // %#@files@, %1$#@files@, %@, %arg
  apple: /%(?:\d{1,3}\$)?#@[^@\n]{1,200}@|%@|%arg(?![A-Za-z])/,
  // %1$s, %1$-5.2f, also before letters: %1$dKB
  positional: /%\d{1,3}\$[#0+'-]{0,5}\d{0,3}(?:\.\d{1,3})?(?:hh|ll|[hlqLzjt])?[@diouxXeEfFgGaAcspn]/,
  // %s, %1$s, %-5.2f, %ld, %%. The flag "space" is left out: "50% discount" is text.
  printf:
    /%(?:\d{1,3}\$)?[#0+'-]{0,5}(?:\d{1,3}|\*)?(?:\.(?:\d{1,3}|\*))?(?:hh|ll|[hlqLzjt])?[@diouxXeEfFgGaAcspn](?![A-Za-z])|%%/,
  // <0>, </0>, <1/>
  numbered: /<\/?\d{1,3}\s*\/?>/,
  // https://example.com/a
  web: WEB_ADDRESS,
  // someone@example.com
  mail: /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/,
  // `npm ci`. An apostrophe that is written as a backtick stands in a word.
  code: /(?<![\w`])`[^`\s](?:[^`\n]{0,198}[^`\s])?`(?![\w`])/,
  // Control characters, separators of lines and directional overrides: engines drop them, or take them for a part of
  // their protocol.
  control: /[\p{Cc}\u2028-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/u,
};

/** White space that stands alone is no placeholder. In a placeholder, such as `{\n}` in HTML, it must come back. */
const NO_CONTROL = /^[\t\n\r]$/;

const PATTERN = new RegExp(
  Object.values(PLACEHOLDERS)
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'gu',
);

/** Divides a text into words and placeholders, which are the matches. */
export function splitPlaceholders(text: string): Generator<TextPart> {
  return splitText(text, PATTERN, (found) => !NO_CONTROL.test(found));
}
