/** The address and title of a link or an image. */
export interface Target {
  readonly end: number;
  readonly href: string;
  readonly title: string | undefined;
  /** What stands after the text of the link. */
  readonly raw: string;
}

type EndOfBraces = (start: number) => number | undefined;

const BETWEEN = /\s*/y;
const TITLE = /\s+(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|\([^()\\]*(?:\\.[^()\\]*)*\))/sy;
const IN_BRACKETS = /<[^<>\\\n]*(?:\\.[^<>\\\n]*)*>/y;

/**
 * Reads the target in parentheses that begins at an index. A target has at most 32 levels of parentheses.
 * @param endOfBraces finds the end of the expression at an index, such as `{{ page.url }}`
 */
export function endOfTarget(markdown: string, start: number, endOfBraces: EndOfBraces): Target | undefined {
  if (markdown[start] !== '(') return undefined;
  const from = endOf(BETWEEN, markdown, start + 1) ?? start + 1;
  const bracketsEnd = endOf(IN_BRACKETS, markdown, from);
  const hrefEnd = bracketsEnd ?? endOfAddress(markdown, from, endOfBraces);
  if (hrefEnd === undefined) return undefined;
  const titleEnd = endOf(TITLE, markdown, hrefEnd);
  const end = endOf(BETWEEN, markdown, titleEnd ?? hrefEnd) ?? hrefEnd;
  if (markdown[end] !== ')') return undefined;
  const href = bracketsEnd === undefined ? markdown.slice(from, hrefEnd) : markdown.slice(from + 1, hrefEnd - 1);
  const title = titleEnd === undefined ? undefined : markdown.slice(hrefEnd, titleEnd).trim().slice(1, -1);
  return { end: end + 1, href, title, raw: markdown.slice(start - 1, end + 1) };
}

const MAX_DEPTH = 32;

function endOfAddress(markdown: string, start: number, endOfBraces: EndOfBraces): number | undefined {
  if (markdown[start] === '<') return undefined;
  let depth = 0;
  for (let at = start; at < markdown.length; at++) {
    at = endOfBraces(at) ?? at;
    const character = markdown.charAt(at);
    if (character <= ' ') return depth === 0 ? at : undefined;
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(markdown.charAt(at + 1))) at += 1;
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) return at;
    if (depth > MAX_DEPTH) return undefined;
  }
  return undefined;
}

const LABEL = /\[((?:[^\][\\]|\\.){0,999})\]/sy;

/** Reads the label in brackets that begins at an index. */
export function readLabel(markdown: string, start: number): string | undefined {
  LABEL.lastIndex = start;
  return LABEL.exec(markdown)?.[1];
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
