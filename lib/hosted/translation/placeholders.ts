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
  called: /\$t\([^()\n]{1,200}\)|%\([^()\n]{1,200}\)[#0+-]*\d*(?:\.\d+)?[a-zA-Z]/,
  // {}, {0}, {name}, {price, number, ::currency/EUR}
  braces: /\{\s*(?:[\w.$@-]{1,200}\s*(?:[,:|!][^{}]{0,200})?)?\}/,
  // %name%
  percents: /%[A-Za-z_][\w.-]{2,60}%/,
  // %s, %1$s, %-5.2f, %ld, %%. The flag "space" is left out: "50% discount" is text.
  printf:
    /%(?:\d{1,3}\$)?[#0+'-]{0,5}(?:\d{1,3}|\*)?(?:\.(?:\d{1,3}|\*))?(?:hh|ll|[hlqLzjt])?[@diouxXeEfFgGaAcspn](?![A-Za-z])|%%/,
  // <0>, </0>, <1/>
  numbered: /<\/?\d{1,3}\s*\/?>/,
  // https://example.com/a, someone@example.com
  address: /https?:\/\/[^\s<>"'{}]*[^\s<>"'{}.,;:!?)\]]|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/,
  // Control characters and directional overrides: engines drop them, or take them for a part of their protocol.
  control: /[\p{Cc}\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/u,
};

/** White space that stands alone is no placeholder. In a placeholder, such as `{\n}` in HTML, it must come back. */
const NO_CONTROL = /^[\t\n\r]$/;

const PATTERN = new RegExp(
  Object.values(PLACEHOLDERS)
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'gu',
);

/** A part of a text: words, or a placeholder that must come back unchanged. */
export interface TextPart {
  readonly text: string;
  readonly isPlaceholder: boolean;
}

/** Divides a text into words and placeholders. Together the parts are the text. */
export function splitPlaceholders(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(PATTERN)) {
    if (NO_CONTROL.test(found)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isPlaceholder: false });
    parts.push({ text: found, isPlaceholder: true });
    end = index + found.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isPlaceholder: false });
  return parts;
}
